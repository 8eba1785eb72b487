import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../config.ts'
import { type NatsServers, startNats } from '../../testing/nats-server.ts'
import { LogRefused } from './log-refusal.ts'
import { messageBytesMax, openStreams, StreamFull } from './streams.ts'

let nats: NatsServers
beforeAll(async () => {
  nats = await startNats(1, { user: 'assay', password: 'p@ss:word' })
}, 60_000)
afterAll(() => nats?.close())

/** As an operator writes them. */
function settingsOf(url: string) {
  const { replicatedLog } = readConfig({
    ASSAY_POSTGRES_URL: 'postgres://store',
    ASSAY_CLICKHOUSE_URL: 'http://store',
    ASSAY_LOG_URL: url,
    ASSAY_LOG_PARTITIONS: '2',
  })
  if (replicatedLog === undefined) throw new Error('the address is no setting of a log')
  return replicatedLog
}

const sizes = { bytesMax: 4 * messageBytesMax, nodeId: 'test' }

test('the user and password of the address are used, and wrong ones are refused with what to check', async () => {
  const withLogin = (login: string) => settingsOf(nats.url.replace('nats://', `nats://${login}@`))
  const refused = openStreams(withLogin('assay:wrong'), sizes)
  await expect(refused).rejects.toThrow('Check ASSAY_LOG_URL and its credentials')
  await expect(refused).rejects.toBeInstanceOf(LogRefused)
  const streams = await openStreams(withLogin('assay:p%40ss%3Aword'), sizes)
  expect(await streams.publish(0, Buffer.from('one\n'), 'a', 5_000)).toBe(1)
  await streams.close()
})

test('a login that is not encoded is refused, and not repeated', () => {
  const read = () => settingsOf('nats://assay:50%off@nats')
  expect(read).toThrow('Write %25')
  expect(read).not.toThrow('off')
})

test('a message is stored once under its id, in its own partition, until it is purged', async () => {
  const streams = await openStreams(nats.settings({ partitions: 2, name: 'own', ...login }), sizes)
  const ids = ['a', 'b', 'a']
  const seqs = await Promise.all(ids.map((id) => streams.publish(0, Buffer.from(`${id}\n`), id, 5_000)))
  expect(seqs).toEqual([1, 2, 1])
  expect(await streams.state(1)).toMatchObject({ lastSeq: 0 })
  expect(Buffer.from((await streams.read(0, 2)) ?? []).toString()).toBe('b\n')
  await streams.purge(0, 1)
  expect(await streams.read(0, 1)).toBeNull()
  expect(await streams.state(0)).toMatchObject({ firstSeq: 2, lastSeq: 2 })
  await streams.close()
})

test('a partition that is full refuses, and takes messages again when it is loaded', async () => {
  const streams = await openStreams(nats.settings({ partitions: 2, name: 'full', ...login }), sizes)
  const half = Buffer.alloc(messageBytesMax / 2, 'x')
  let last = 0
  const fill = async () => {
    for (;;) last = await streams.publish(0, half, `m-${last + 1}`, 5_000)
  }
  await expect(fill()).rejects.toBeInstanceOf(StreamFull)
  expect(last).toBe(3)
  expect(await streams.publish(1, half, 'other', 5_000)).toBe(1)
  await streams.purge(0, last)
  expect(await streams.publish(0, half, 'next', 5_000)).toBe(last + 1)
  await streams.close()
})

const login = { user: 'assay', password: 'p@ss:word' }
