import { expect, test } from 'vitest'
import { type CpuProfile, selfTimes } from './profile.ts'

const frame = (functionName: string, url = '', lineNumber = 0) => ({ functionName, url, lineNumber })

test('self times are shares of the busy time, most first, with idle time left out', () => {
  const profile: CpuProfile = {
    nodes: [
      { id: 1, callFrame: frame('(idle)') },
      { id: 2, callFrame: frame('judge', 'file:///x/contract/src/gate/judge.ts', 9) },
      { id: 3, callFrame: frame('', 'file:///x/node_modules/fastify/lib/route.js', 4) },
      { id: 4, callFrame: frame('judge', 'file:///x/contract/src/gate/judge.ts', 9) },
    ],
    samples: [1, 2, 3, 4],
    timeDeltas: [1_000, 300, 100, 100],
  }
  expect(selfTimes(profile, 5)).toEqual([
    { where: 'judge src/gate/judge.ts:10', share: 0.8 },
    { where: '(anonymous) fastify/lib/route.js:5', share: 0.2 },
  ])
})
