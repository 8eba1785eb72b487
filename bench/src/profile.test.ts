import { expect, test } from 'vitest'
import { startProgram, stopProgram, waitFor } from './process.ts'
import { type CpuProfile, formatSelfTimes, profileDuring, selfTimes, selfTimesByPlace } from './profile.ts'

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
    { where: 'judge contract/src/gate/judge.ts:10', share: 0.8 },
    { where: '(anonymous) fastify/lib/route.js:5', share: 0.2 },
  ])
  expect(selfTimesByPlace(profile, 5)).toEqual([
    { where: 'contract/src/gate', share: 0.8 },
    { where: 'fastify', share: 0.2 },
  ])
})

test('a running program is profiled by its inspector, for just as long as the work takes', async () => {
  const script =
    'function burn(n) { return n < 2 ? n : burn(n - 1) + burn(n - 2) }; setInterval(() => burn(25), 1)'
  const program = startProgram(['--inspect=127.0.0.1:0', '--eval', script])
  const findUrl = async () =>
    program.lines.find((line) => line.includes('ws://'))?.replace(/^.*(?=ws:)/, '') ?? null
  const url = await waitFor('the inspector', 20_000, findUrl)
  const profile = await profileDuring(url, () => new Promise((resolve) => setTimeout(resolve, 500)))
  await stopProgram(program, 5_000)
  expect(formatSelfTimes(selfTimes(profile, 3)).join('\n')).toMatch(/ % {2}burn /)
})
