import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { type ClickHouseClient, ClickHouseError, createClient } from '@clickhouse/client'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { machineMemory } from '../../platform/machine-memory.ts'
import { anyCharacter } from '../../testing/any-character.ts'
import { startClickHouseHttp } from '../../testing/clickhouse-http.ts'
import { untilTrue } from '../../testing/harness.ts'
import { memoryLimits } from './memory-limits.ts'
import { type EngineKind, installedEngines, openEngine } from './open.ts'

interface Subject {
  client: ClickHouseClient
  /** As the writer does it: a file of the log by its name, or its content in the body of a request. */
  loadSegment(file: string, token: string): Promise<void>
  close(): Promise<void>
}

const segmentStructure =
  'site String, at String, name String, tags Array(String), kind String, person String, properties String'
const segmentColumns = "site, parseDateTime64BestEffort(at, 3, 'UTC'), name, tags, kind, person, properties"

async function embedded(home: string, kind: EngineKind): Promise<Subject> {
  const engine = await openEngine({
    path: path.join(home, 'events'),
    mounts: [path.join(home, 'log')],
    kind,
    onNotice: () => undefined,
  })
  const client = createClient({ connection: engine.connection })
  return {
    client,
    loadSegment: async (file, token) => {
      await client.command({
        query: `INSERT INTO events SELECT ${segmentColumns} FROM file({file:String}, 'JSONEachRow', '${segmentStructure}')`,
        query_params: { file },
        clickhouse_settings: { insert_deduplication_token: token },
      })
    },
    close: () => engine.close(),
  }
}

async function overHttp(home: string): Promise<Subject> {
  const server = await startClickHouseHttp({ path: path.join(home, 'events') })
  const client = createClient({
    url: server.url,
    compression: { request: true, response: true },
    use_multipart_params_auto: true,
    // The client logs each refusal that a test provokes.
    log: { level: 127 },
  })
  return {
    client,
    loadSegment: async (file, token) => {
      const { stream } = await client.exec({
        query: `INSERT INTO events SELECT ${segmentColumns} FROM input('${segmentStructure}') FORMAT JSONEachRow`,
        values: fs.createReadStream(file),
        clickhouse_settings: { insert_deduplication_token: token },
      })
      stream.resume()
    },
    close: async () => {
      await client.close()
      await server.close()
    },
  }
}

const installed = await installedEngines()

for (const kind of installed.filter((one) => one === 'native')) {
  test('each statement of the native engine has its limits of memory, and more is refused', async () => {
    const home = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-engine-'))
    const { client, close } = await embedded(home, kind)
    const limits = memoryLimits(machineMemory)
    const query =
      'SELECT name, toUInt64(value) AS value FROM system.settings WHERE name IN {names:Array(String)}'
    const query_params = { names: Object.keys(limits) }
    const limitsOf = async (call: object) => {
      const answer = await client.query({ query, query_params, format: 'JSONEachRow', ...call })
      const rows = await answer.json<{ name: string; value: number | string }>()
      return Object.fromEntries(rows.map(({ name, value }) => [name, Number(value)]))
    }
    try {
      expect(await limitsOf({})).toEqual(limits)
      expect(await limitsOf({ clickhouse_settings: { max_threads: 1 } })).toEqual(limits)
      expect(await limitsOf({ abort_signal: new AbortController().signal })).toEqual(limits)
      const few = { max_memory_usage: '50000000' }
      const large = 'SELECT length(groupArray(number)) FROM numbers(100000000)'
      await expect(client.query({ query: large, clickhouse_settings: few })).rejects.toMatchObject({
        code: '241',
      })
      // No other call has the limits of that call.
      expect(await limitsOf({})).toEqual(limits)
    } finally {
      await close()
      fs.rmSync(home, { recursive: true, force: true })
    }
  })
}

// The portable engine runs one statement at a time.
for (const kind of installed.filter((one) => one === 'native')) {
  test('the native engine answers a short statement with parameters while a long one runs', async () => {
    const home = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-engine-'))
    const { client, close } = await embedded(home, kind)
    const ended: string[] = []
    const ask = async (name: string, most: number) => {
      const query = 'SELECT sum(number) FROM numbers({most:UInt64}) WHERE number % 7 = {rest:UInt8}'
      await client.query({ query, query_params: { most, rest: 3 } }).then((answer) => answer.text())
      ended.push(name)
    }
    await Promise.all([ask('long', 5e8), ask('short', 10)])
    await close()
    expect(ended).toEqual(['short', 'long'])
  })
}

describe.each([
  ...installed.map((kind) => ({ way: `embedded, ${kind}`, open: (home: string) => embedded(home, kind) })),
  { way: 'over HTTP', open: overHttp },
])('an engine $way', ({ open }) => {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-engine-'))
  let subject: Subject
  beforeAll(async () => {
    fs.mkdirSync(path.join(home, 'log'))
    subject = await open(home)
    await run(`
      CREATE TABLE events (
        site LowCardinality(String), at DateTime64(3, 'UTC'), name LowCardinality(String), tags Array(String),
        kind Enum8('page' = 1, 'act' = 2), person String, properties String
      ) ENGINE = MergeTree PARTITION BY toYYYYMM(at) ORDER BY (site, at)
      SETTINGS non_replicated_deduplication_window = 1000`)
  })
  afterAll(async () => {
    await subject.close()
    fs.rmSync(home, { recursive: true })
  })

  const run = (query: string, settings: Record<string, string | number> = {}) =>
    subject.client.command({ query, clickhouse_settings: settings })
  const rows = async (query: string, parameters: Record<string, unknown> = {}): Promise<unknown[]> => {
    const answer = await subject.client.query({
      query,
      query_params: parameters,
      format: 'JSONCompactEachRow',
    })
    return answer.json()
  }

  /** 900 hours from the first of January 2026: two partitions, 100 people, three names in turn. */
  const writeSegment = (site: string): string => {
    const file = path.join(home, 'log', `${site}.ndjson`)
    const lines = Array.from({ length: 900 }, (_, index) => {
      const at = new Date(Date.UTC(2026, 0, 1, index)).toISOString()
      const name = ['view', 'click', 'buy'][index % 3]
      const properties = { amount: index / 2, 'a "quoted" name': 'é\\' }
      return JSON.stringify({
        site,
        at,
        name,
        tags: ['x', `y${index}`],
        kind: 'act',
        person: `p${index % 100}`,
        properties,
      })
    })
    fs.writeFileSync(file, `${lines.join('\n')}\n`)
    return file
  }
  const count = (site: string) =>
    rows('SELECT toUInt32(count()) FROM events WHERE site = {site:String}', { site })

  test('loads a segment once, however often its name comes', async () => {
    const file = writeSegment('once')
    await subject.loadSegment(file, 'once')
    await subject.loadSegment(file, 'once')
    expect(await count('once')).toEqual([[900]])
    expect(
      await rows(`SELECT partition, toUInt32(sum(rows)) FROM system.parts
        WHERE table = 'events' AND active GROUP BY partition ORDER BY partition`),
    ).toEqual([
      ['202601', 744],
      ['202602', 156],
    ])
    expect(
      await rows("SELECT at, tags, kind, properties FROM events WHERE site = 'once' ORDER BY at LIMIT 1"),
    ).toEqual([['2026-01-01 00:00:00.000', ['x', 'y0'], 'act', '{"amount":0,"a \\"quoted\\" name":"é\\\\"}']])
  })

  test('does not carry a deduplication token over to the next insert', async () => {
    const file = writeSegment('token')
    await subject.loadSegment(file, 'token')
    await run("INSERT INTO events SELECT * FROM events WHERE site = 'token' LIMIT 5")
    await run("INSERT INTO events SELECT * FROM events WHERE site = 'token' LIMIT 6")
    expect(await count('token')).toEqual([[911]])
  })

  test('hides deleted rows at once and removes them from the disk on demand', async () => {
    const file = writeSegment('forget')
    await subject.loadSegment(file, 'forget')
    await run("DELETE FROM events WHERE site = 'forget' AND person = 'p1'")
    expect(await count('forget')).toEqual([[891]])
    const onDisk = () =>
      rows("SELECT toUInt32(sum(rows)) FROM system.parts WHERE table = 'events' AND active")
    const [before] = await onDisk()
    await run('ALTER TABLE events APPLY DELETED MASK', { mutations_sync: 2 })
    const [after] = await onDisk()
    expect(Number(before)).toBe(Number(after) + 9)
    await run("ALTER TABLE events DELETE WHERE site = 'forget' AND person = 'p2'", { mutations_sync: 2 })
    expect(await count('forget')).toEqual([[882]])
  })

  test('merges a partition into one part on demand', async () => {
    await run('CREATE TABLE small (n UInt32) ENGINE = MergeTree ORDER BY n')
    for (const n of [1, 2, 3]) await run(`INSERT INTO small VALUES (${n})`)
    await run('OPTIMIZE TABLE small FINAL')
    expect(
      await rows(
        "SELECT toUInt32(count()), toUInt32(sum(rows)) FROM system.parts WHERE table = 'small' AND active",
      ),
    ).toEqual([[1, 3]])
  })

  test('joins, counts funnels and reads JSON', async () => {
    const file = writeSegment('ask')
    await subject.loadSegment(file, 'ask')
    await run('CREATE TABLE people (id String, person String) ENGINE = MergeTree ORDER BY id')
    await run("INSERT INTO people VALUES ('p1', 'p0'), ('p2', 'p0')")
    expect(
      await rows(`SELECT toUInt32(uniqExact(if(people.person = '', events.person, people.person)))
        FROM events LEFT ANY JOIN people ON people.id = events.person WHERE site = 'ask'`),
    ).toEqual([[98]])
    expect(
      await rows(`SELECT level, toUInt32(count()) FROM (
          SELECT windowFunnel(7200000)(
            toUInt64(toUnixTimestamp64Milli(at)), name = 'view', name = 'click', name = 'buy') AS level
          FROM events WHERE site = 'ask' GROUP BY site) GROUP BY level`),
    ).toEqual([[3, 1]])
    expect(
      await rows(`SELECT sum(JSONExtractFloat(properties, 'amount')), any(JSONExtractString(properties, 'a "quoted" name'))
        FROM events WHERE site = 'ask'`),
    ).toEqual([[202275, 'é\\']])
  })

  test('keeps an aggregate up to date through a materialized view', async () => {
    await run(`CREATE TABLE daily (day Date, people AggregateFunction(uniq, String),
      events SimpleAggregateFunction(sum, UInt64))
      ENGINE = AggregatingMergeTree ORDER BY day`)
    await run(`CREATE MATERIALIZED VIEW daily_view TO daily AS
      SELECT toDate(at) AS day, uniqState(person) AS people, count() AS events FROM events GROUP BY day`)
    await subject.loadSegment(writeSegment('view'), 'view')
    expect(await rows('SELECT toUInt32(sum(events)), toUInt32(uniqMerge(people)) FROM daily')).toEqual([
      [900, 100],
    ])
    await run('DROP VIEW daily_view')
  })

  test('looks a person up in a dictionary over its own table, and sees a change after a reload', async () => {
    await run('CREATE TABLE mapping (id String, person String) ENGINE = MergeTree ORDER BY id')
    await run("INSERT INTO mapping VALUES ('a', 'b')")
    // By address: the WebAssembly build resolves no names, and without HOST the source asks for "localhost".
    await run(`CREATE DICTIONARY lookup (id String, person String) PRIMARY KEY id
      SOURCE(CLICKHOUSE(HOST '127.0.0.1' TABLE 'mapping' DB 'default')) LAYOUT(COMPLEX_KEY_HASHED()) LIFETIME(0)`)
    const find = "SELECT dictGetOrDefault('lookup', 'person', tuple({id:String}), 'nobody')"
    expect(await rows(find, { id: 'a' })).toEqual([['b']])
    expect(await rows(find, { id: 'c' })).toEqual([['nobody']])
    await run("INSERT INTO mapping VALUES ('c', 'd')")
    await run('SYSTEM RELOAD DICTIONARY lookup')
    expect(await rows(find, { id: 'c' })).toEqual([['d']])
  })

  test('gives any text back that was bound to a parameter', async () => {
    const awkward = [
      "it's",
      'a\\b\\',
      'line\nbreak\ttab\r',
      '😀 ünï',
      '',
      '{x:String}',
      "'); DROP TABLE events; --",
      '`"%_?',
    ]
    for (const text of awkward) {
      expect(
        await rows('SELECT {text:String}, {texts:Array(String)}', { text, texts: [text, text] }),
      ).toEqual([[text, [text, text]]])
    }
    const anyText = fc
      .string({ unit: anyCharacter, maxLength: 40 })
      .map((text) => text.toWellFormed().replaceAll('\0', ''))
    await fc.assert(
      fc.asyncProperty(fc.array(anyText, { maxLength: 3 }), async (texts) => {
        expect(
          await rows('SELECT {texts:Array(String)}, {text:String}', { texts, text: texts.join() }),
        ).toEqual([[texts, texts.join()]])
      }),
      { numRuns: 25 },
    )
  })

  test('binds long text, numbers, nothing, times and maps', async () => {
    const long = "x'".repeat(50_000)
    expect(await rows('SELECT length({long:String})', { long })).toEqual([[100_000]])
    const types =
      "{a:UInt64}, {b:Nullable(String)}, {c:Float64}, {d:DateTime64(3, 'UTC')}, {e:Map(String, String)}, {f:Bool}"
    const given = {
      a: 2 ** 53 - 1,
      b: null,
      c: -1.5,
      d: new Date('2026-01-01T00:00:00.123Z'),
      e: { k: "v'" },
      f: true,
    }
    expect(await rows(`SELECT ${types}`, given)).toEqual([
      [2 ** 53 - 1, null, -1.5, '2026-01-01 00:00:00.123', { k: "v'" }, true],
    ])
    const nested = { numbers: [1, 2], maybe: ['NULL', null], deep: [['a'], []] }
    expect(
      await rows(
        'SELECT {numbers:Array(UInt8)}, {maybe:Array(Nullable(String))}, {deep:Array(Array(String))}',
        nested,
      ),
    ).toEqual([[nested.numbers, nested.maybe, nested.deep]])
  })

  test('forgets the settings and parameters of a call when it ends', async () => {
    const threads = "SELECT toUInt32(getSetting('max_block_size'))"
    const [usual] = await rows(threads)
    const changed = await subject.client.query({
      query: threads,
      format: 'JSONCompactEachRow',
      clickhouse_settings: { max_block_size: '7' },
    })
    expect(await changed.json()).toEqual([[7]])
    expect(await rows(threads)).toEqual([usual])
    await rows('SELECT {left:String}', { left: 'behind' })
    await expect(rows('SELECT {left:String}')).rejects.toMatchObject({ type: 'UNKNOWN_QUERY_PARAMETER' })
  })

  test('refuses a bad statement with its code and type, and answers the next one', async () => {
    const refusals = await Promise.allSettled([
      rows('SELECT FROM WHERE'),
      rows('SELECT 1'),
      rows('SELECT * FROM missing'),
    ])
    expect(refusals).toEqual([
      { status: 'rejected', reason: expect.objectContaining({ code: '62', type: 'SYNTAX_ERROR' }) },
      { status: 'fulfilled', value: [[1]] },
      { status: 'rejected', reason: expect.objectContaining({ code: '60', type: 'UNKNOWN_TABLE' }) },
    ])
    await expect(rows('SELECT throwIf(number = 3) FROM numbers(5)')).rejects.toBeInstanceOf(ClickHouseError)
  })

  test('answers nothing of a statement that failed after its first rows', async () => {
    const failing = `SELECT 'left over' AS text, throwIf(number = 400000) FROM numbers(500000)
      FORMAT JSONEachRow SETTINGS max_block_size = 1000`
    for (let turn = 0; turn < 3; turn++) {
      // Over HTTP the answer has begun by then, and ends with the failure.
      await subject.client
        .exec({ query: failing })
        .then(({ stream }) => stream.toArray())
        .catch(() => [])
      // Parameters would be set before, by a statement that takes what is left over.
      expect(await rows(`SELECT ${turn}`)).toEqual([[turn]])
    }
  })

  test('answers many calls at once, each with its own answer', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) => rows('SELECT {n:UInt32}', { n }).then(([row]) => row)),
    )
    expect(answers).toEqual(Array.from({ length: 40 }, (_, n) => [n]))
  })

  test('refuses a statement without a parameter that it names, also after another brought it', async () => {
    await rows('SELECT {late:UInt32}', { late: 1 })
    await expect(rows('SELECT {late:UInt32}', { n: 1 })).rejects.toThrow(ClickHouseError)
  })

  test('inserts rows from objects, from a stream and from nothing', async () => {
    await run('CREATE TABLE rows (a String, b UInt32 DEFAULT 7, c String) ENGINE = MergeTree ORDER BY a')
    const { client } = subject
    const awkward = 'é\'"\\\n\0 FORMAT CSV'
    await client.insert({ table: 'rows', values: [{ a: '1', c: awkward }], format: 'JSONEachRow' })
    await client.insert({ table: 'rows', values: Readable.from([{ a: '2', b: 8 }]), format: 'JSONEachRow' })
    await client.insert({
      table: 'rows',
      columns: ['a'],
      values: Readable.from(['"3"\n'], { objectMode: false }),
      format: 'CSV',
    })
    await client.insert({ table: 'rows', values: Readable.from([]), format: 'JSONEachRow' })
    expect(await rows('SELECT a, b, c FROM rows ORDER BY a')).toEqual([
      ['1', 7, awkward],
      ['2', 8, ''],
      ['3', 7, ''],
    ])
  })

  test('inserts what a SELECT makes of rows that come separately', async () => {
    await run('CREATE TABLE made (a String, n UInt32) ENGINE = MergeTree ORDER BY a')
    const insert = (rows: string[]) =>
      subject.client.exec({
        query: "INSERT INTO made (a, n) SELECT upper(a), length(a) FROM input('a String') FORMAT JSONEachRow",
        values: Readable.from(rows, { objectMode: false }),
      })
    for (const rows of [['{"a":"x"}\n{"a"', ':"yy"}\n'], []]) (await insert(rows)).stream.resume()
    expect(await rows('SELECT a, n FROM made ORDER BY a')).toEqual([
      ['X', 1],
      ['YY', 2],
    ])
  })

  test('stops a statement whose caller gave up, and drops one that still waited', async () => {
    const running = new AbortController()
    const waiting = new AbortController()
    const forever = 'SELECT sum(cityHash64(number)) FROM numbers(1000000000000)'
    const first = subject.client.query({ query: forever, abort_signal: running.signal })
    const second = subject.client.query({ query: forever, abort_signal: waiting.signal })
    waiting.abort()
    await expect(second).rejects.toThrow(/abort/i)
    running.abort()
    await expect(first).rejects.toThrow(/abort/i)
    expect(await rows('SELECT 1')).toEqual([[1]])
    // The engine itself has let go of it, too.
    const others = "SELECT toUInt32(count()) FROM system.processes WHERE query LIKE '%cityHash64(number)%'"
    await untilTrue('the statement to end', async () => {
      const [row] = await rows(`${others} AND query NOT LIKE '%system.processes%'`)
      return JSON.stringify(row) === '[0]'
    })
  })

  test('is alive', async () => {
    expect(await subject.client.ping()).toEqual({ success: true })
  })
})

describe('the choice of an engine', () => {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-engine-'))
  afterAll(() => fs.rmSync(home, { recursive: true }))

  test('is refused with the reason where the engine is not installed', async () => {
    if (installed.includes('native')) {
      const engine = await openEngine({ path: path.join(home, 'native'), kind: 'native', onNotice: () => {} })
      expect(engine.kind).toBe('native')
      await engine.close()
    } else {
      const opening = openEngine({ path: path.join(home, 'native'), kind: 'native', onNotice: () => {} })
      await expect(opening).rejects.toThrow(/ASSAY_ENGINE is native: .*no build for/)
    }
  })

  test('is refused where the older engine would read what the newer one wrote', async () => {
    const directory = path.join(home, 'events')
    fs.mkdirSync(directory)
    fs.writeFileSync(path.join(directory, 'engine.json'), '{"kind":"native","version":"26.7.2.1"}')
    const opening = openEngine({ path: directory, kind: 'portable', onNotice: () => {} })
    await expect(opening).rejects.toThrow(/last written by the native engine \(26\.7\.2\.1\)/)
    fs.writeFileSync(path.join(directory, 'engine.json'), '{"kind":')
    const engine = await openEngine({ path: directory, kind: 'portable', onNotice: () => {} })
    expect(engine.kind).toBe('portable')
    await engine.close()
    expect(JSON.parse(fs.readFileSync(path.join(directory, 'engine.json'), 'utf8'))).toMatchObject({
      kind: 'portable',
    })
  })
})
