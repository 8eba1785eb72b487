import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { anyCharacter } from '../../testing/any-character.ts'
import { type EmbeddedPostgres, openEmbeddedPostgres } from './postgres-client.ts'

/** What `Control` uses of a Postgres, in a thread or not. */
type Subject = Pick<EmbeddedPostgres, 'query' | 'script' | 'transaction'>

const home = mkdtempSync(join(tmpdir(), 'assay-same-'))
let thread: EmbeddedPostgres
let inProcess: PGlite
let subjects: { here: Subject; there: Subject }

const schema = `CREATE TABLE things (id int PRIMARY KEY, at timestamptz, raw bytea, facts jsonb, tags text[],
  count bigint CHECK (count > -5), CONSTRAINT once UNIQUE (count) DEFERRABLE INITIALLY DEFERRED)`

beforeAll(async () => {
  const onCrash = (crash: Error) => {
    throw crash
  }
  const made = await openEmbeddedPostgres({ directory: join(home, 'there'), onCrash })
  await made.script(schema)
  await made.close()
  cpSync(join(home, 'there'), join(home, 'here'), { recursive: true })
  thread = await openEmbeddedPostgres({ directory: join(home, 'there'), onCrash })
  inProcess = await PGlite.create({ dataDir: join(home, 'here') })
  subjects = { here: overPGlite(inProcess), there: thread }
})
afterAll(async () => {
  await thread?.close()
  await inProcess?.close()
  rmSync(home, { recursive: true, force: true })
})

function overPGlite(db: PGlite): Subject {
  return {
    query: async (text, values = []) => (await db.query<Record<string, unknown>>(text, [...values])).rows,
    script: async (text) => void (await db.exec(text)),
    transaction: (work) =>
      db.transaction((tx) =>
        work(async (text, values = []) => (await tx.query<Record<string, unknown>>(text, [...values])).rows),
      ),
  }
}

/** What PGlite adds to an error is the statement itself. */
const own = new Set(['query', 'params', 'queryOptions'])

async function outcome(run: () => Promise<unknown>): Promise<unknown> {
  try {
    return { answer: await run() }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const fields = Object.fromEntries(Object.entries(error).filter(([name]) => !own.has(name)))
    // The package is minified: its class has another name.
    const kind = 'severity' in error ? 'DatabaseError' : error.constructor.name
    return { kind, name: error.name, message: error.message, fields }
  }
}

async function expectSame(run: (subject: Subject) => Promise<unknown>): Promise<unknown> {
  const there = await outcome(() => run(subjects.there))
  expect(there).toStrictEqual(await outcome(() => run(subjects.here)))
  return there
}

const bytes = fc.uint8Array({ maxLength: 40 })
const facts = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }).filter((value) => typeof value === 'object'),
  fc.record({ big: fc.bigInt(), at: fc.date({ noInvalidDate: true }), none: fc.constant(undefined) }),
  fc.date({ noInvalidDate: true }).map((at) => ({ toJSON: () => ({ at }), toString: () => 'its own text' })),
  fc.string().map((text) => Object.assign(Object.create(null), { text, ['__proto__']: 1 })),
)
const scalar = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 30 }),
  fc.integer(),
  fc.double(),
  fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }),
  fc.boolean(),
  fc.date(),
  fc.constantFrom(null, undefined, '', 'yes', 'infinity', '2026-02-30', 'null', '\0', '\ud800', -0),
)
const value = fc.oneof(
  scalar,
  bytes,
  // A window on memory that holds more.
  bytes.map((some) => Buffer.from(some)),
  facts,
  fc.array(fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), bytes, facts), { maxLength: 4 }),
)
const type = fc.constantFrom(
  ...[
    'text',
    'int',
    'bigint',
    'smallint',
    'numeric',
    'float8',
    'boolean',
    'timestamptz',
    'timestamp',
    'date',
  ],
  ...[
    'json',
    'jsonb',
    'bytea',
    'uuid',
    'interval',
    'text[]',
    'int[]',
    'bigint[]',
    'jsonb[]',
    'timestamptz[]',
  ],
)

/** Into an array PGlite passes what is none as it is, and what follows hangs on what it wrote before. */
const isWritten = ([kind, given]: [string, unknown]) =>
  !kind.endsWith('[]') || Array.isArray(given) || typeof given === 'string' || given === null

/** Values that fit their type as often as not: most others are refused. */
const fitting = fc.oneof(
  fc.tuple(fc.constantFrom('json', 'jsonb', 'text'), facts),
  fc.tuple(
    fc.constantFrom('bytea'),
    fc.oneof(
      bytes,
      bytes.map((some) => Buffer.from(some)),
    ),
  ),
  fc.tuple(fc.constantFrom('timestamptz', 'timestamp', 'date', 'text'), fc.date()),
  fc.tuple(fc.constantFrom('bigint', 'numeric', 'text'), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n })),
  fc.tuple(fc.constantFrom('text[]', 'json'), fc.array(fc.string({ unit: anyCharacter }), { maxLength: 4 })),
  fc.tuple(fc.constantFrom('float8', 'text'), fc.double()),
)

test('values of every type come back as from Postgres in the same thread, and are refused alike', async () => {
  let refused = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(fitting, fc.tuple(type, value).filter(isWritten)), { minLength: 1, maxLength: 4 }),
      async (parameters) => {
        const columns = parameters.map(([kind], index) => `$${index + 1}::${kind} AS c${index}`)
        const text = `SELECT ${columns.join(', ')}`
        const said = await expectSame(({ query }) =>
          query(
            text,
            parameters.map(([, given]) => given),
          ),
        )
        if (!Object.hasOwn(Object(said), 'answer')) refused += 1
      },
    ),
    { numRuns: 600 },
  )
  expect(refused).toBeGreaterThan(50)
})

const id = fc.integer({ min: 0, max: 6 })
const statement = fc.oneof(
  fc.tuple(id, fc.bigInt({ min: -6n, max: 6n }), fc.date({ noInvalidDate: true }), bytes).map((row) => ({
    text: 'INSERT INTO things (id, count, at, raw) VALUES ($1, $2, $3, $4) RETURNING *',
    values: row,
  })),
  id.map((one) => ({ text: 'DELETE FROM things WHERE id = $1 RETURNING id, count', values: [one] })),
  fc.tuple(facts, fc.array(fc.string(), { maxLength: 3 }), id).map((row) => ({
    text: 'UPDATE things SET facts = $1, tags = $2 WHERE id >= $3 RETURNING *',
    values: row,
  })),
  fc.constantFrom(
    { text: 'SELECT * FROM things ORDER BY id', values: [] },
    { text: 'SELECT count(*), sum(count), max(at) FROM things', values: [] },
    { text: 'SELECT 1 / 0', values: [] },
    { text: 'SELECT * FROM nothing', values: [] },
    { text: 'SELECT $1::int', values: [] },
    { text: 'SELEC', values: [] },
    { text: '', values: [] },
    { text: 'SELECT 1 AS a, 2 AS a, 3 AS "__proto__"', values: [] },
  ),
)
const transaction = fc.record({ statements: fc.array(statement, { maxLength: 4 }), isKept: fc.boolean() })

class ChangedMind extends Error {}

test('statements and transactions leave the same rows and the same errors', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(statement, transaction), { maxLength: 6 }), async (steps) => {
      for (const step of steps) {
        await expectSame(({ query, transaction: open }) => {
          if ('text' in step) return query(step.text, step.values)
          return open(async (within) => {
            const said: unknown[] = []
            // A refused statement aborts the transaction, and COMMIT then says so.
            for (const { text, values } of step.statements)
              said.push(await outcome(() => within(text, values)))
            if (!step.isKept) throw new ChangedMind('not kept')
            return said
          })
        })
      }
      await expectSame(({ query }) => query('SELECT * FROM things ORDER BY id'))
      await expectSame(({ script }) => script('DELETE FROM things; SELECT 1'))
    }),
    { numRuns: 60 },
  )
})
