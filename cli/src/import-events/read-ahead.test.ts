import { describe, expect, test } from 'vitest'
import { inGroups, readAhead } from './read-ahead.ts'

async function* numbers(count: number, log: string[], failsAt = -1): AsyncGenerator<number> {
  try {
    for (let number = 0; number < count; number += 1) {
      if (number === failsAt) throw new Error(`no ${number}`)
      log.push(`read ${number}`)
      yield number
    }
  } finally {
    log.push('closed')
  }
}

describe('what is read ahead', () => {
  test('is the next item, and no more, while the caller works on one', async () => {
    const log: string[] = []
    for await (const number of readAhead(numbers(4, log))) {
      await new Promise((resolve) => setImmediate(resolve))
      log.push(`done ${number}`)
    }
    expect(log).toEqual([
      'read 0',
      'read 1',
      'done 0',
      'read 2',
      'done 1',
      'read 3',
      'done 2',
      'closed',
      'done 3',
    ])
  })

  test('fails after everything before it was worked on', async () => {
    const log: string[] = []
    const run = async () => {
      for await (const number of readAhead(numbers(4, log, 2))) log.push(`done ${number}`)
    }
    await expect(run()).rejects.toThrow('no 2')
    expect(log).toEqual(['read 0', 'read 1', 'done 0', 'closed', 'done 1'])
  })

  test('is closed when the caller stops', async () => {
    const log: string[] = []
    const run = async () => {
      for await (const number of readAhead(numbers(9, log))) throw new Error(`stopped at ${number}`)
    }
    await expect(run()).rejects.toThrow('stopped at 0')
    expect(log).toEqual(['read 0', 'read 1', 'closed'])
  })
})

test('groups have their size, and the last one the rest', async () => {
  const groups: number[][] = []
  for await (const group of inGroups(numbers(5, []), 2)) groups.push(group)
  expect(groups).toEqual([[0, 1], [2, 3], [4]])
})
