import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Answer, createAudience, identify, type Question, runQuery } from '@assay/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../../testing/harness.ts'

/** The worked answers of docs/questions.md, kept true: its history is sent, and its questions are asked. */

const page = readFileSync(join(import.meta.dirname, '../../../../docs/questions.md'), 'utf8')

/** Rows of the tables below a heading, cell by cell, without their heads. */
function rowsBelow(heading: string): string[][][] {
  const [, below = ''] = page.split(`\n## ${heading}\n`)
  const [section = ''] = below.split('\n## ')
  const tables = section.match(/(?:^\|.*\|$\n?)+/gm) ?? []
  return tables.map((table) =>
    table
      .trim()
      .split('\n')
      .slice(2)
      .map((line) =>
        line
          .slice(1, -1)
          .split(' | ')
          .map((cell) => cell.trim()),
      ),
  )
}

const json = (cell: string) => JSON.parse(cell.replaceAll('`', '') || '{}')
const devices: Readonly<Record<string, string>> = {
  desktop:
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  mobile:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1',
}

const [people = [], history = [], questions = []] = rowsBelow('Ten questions')
const [, elsewhere = []] = rowsBelow('From other products')

const nowMs = Date.parse('2026-11-09T12:00:00Z')
let world: World
let shop: TestWorkspace

beforeAll(async () => {
  world = await startWorld({ now: () => nowMs })
  shop = await world.newWorkspace({ timezone: 'UTC' })
  const deviceOf = new Map(people.map(([who = '', device = '']) => [who, devices[device] ?? '']))
  const events = history.map(
    ([time = '', who = '', visit = '', event = '', path = '', more = ''], index) => ({
      event: event.replaceAll('`', ''),
      event_id: `told-${index}`,
      anonymous_id: who,
      session_id: visit,
      ts: `2026-${time.replace(' ', 'T')}:00Z`,
      historical: true,
      properties: {
        ...(event.includes('pageview') && {
          url: `https://shop.example${path.replaceAll('`', '')}`,
          title: 'Page',
        }),
        ...json(more),
      },
      context: {
        userAgent: deviceOf.get(who),
        page: { url: `https://shop.example${path.replaceAll('`', '')}` },
        app: { version: time < '11-05' ? '1.9' : '2.0' },
      },
    }),
  )
  await shop.send(events, { outcomes: ['accept', 'warn'] })
  for (const [who = '', , traits = ''] of people) {
    if (traits === '') continue
    const body = { anonymous_id: who, user_id: who, traits: json(traits) }
    expect((await shop.call(identify, { body })).status).toBe(200)
  }
  await shop.settle()
  const rules = { all: [{ field: 'orders', op: 'gte' as const, value: 1 }] }
  await shop.call(createAudience, { body: { siteId: shop.siteId, name: 'Buyers', rules } })
}, 120_000)
afterAll(() => world?.close())

const shown = (value: number | null) => (value === null ? null : Math.round(value * 1000) / 1000)

/** Values of dimensions, days as dates, then figures, then those of the compared period. */
function compact({ rows }: Answer): unknown[] {
  return rows.map(({ dimensions, metrics, comparison }) => [
    ...dimensions.map((value) => (/T00:00:00.000Z$/.test(value ?? '') ? value?.slice(0, 10) : value)),
    ...Object.values(metrics).map(shown),
    ...Object.values(comparison ?? {}).map(shown),
  ])
}

test('the page has ten questions of teams, and ten that other products answer', () => {
  expect([questions.length, elsewhere.length]).toEqual([10, 10])
})

test.each([...questions, ...elsewhere])(
  '%s: the answer is the one of the page',
  async (_, members = '', rows = '') => {
    const asked = JSON.parse(`{${members.slice(1, -1)}}`) as Partial<Question> // boundary: written in our page.
    const question = { siteId: shop.siteId, from: '2026-11-02', to: '2026-11-08', metrics: [], ...asked }
    const { status, body } = await shop.call(runQuery, { body: question })
    expect(status, JSON.stringify(body)).toBe(200)
    expect(`\`${JSON.stringify(compact(body)).replaceAll(',', ', ')}\``).toBe(rows)
  },
)
