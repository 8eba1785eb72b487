import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { Unreadable, unpackGzip } from './bounded-gzip.ts'

test('packed bytes unpack up to the limit and not a byte beyond', async () => {
  const packed = gzipSync(Buffer.alloc(1_000, 'a'))
  expect((await unpackGzip(packed, 1_000)).length).toBe(1_000)
  await expect(unpackGzip(packed, 999)).rejects.toBeInstanceOf(Unreadable)
})

test('a bomb is given up without being unpacked', async () => {
  const bomb = gzipSync(Buffer.alloc(100_000_000))
  expect(bomb.length).toBeLessThan(200_000)
  const before = process.memoryUsage().arrayBuffers
  await expect(unpackGzip(bomb, 1_000_000)).rejects.toBeInstanceOf(Unreadable)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000)
})

test('what is no gzip is unreadable', async () => {
  await expect(unpackGzip(Buffer.from('plain text'), 1_000)).rejects.toBeInstanceOf(Unreadable)
  await expect(unpackGzip(new Uint8Array(), 1_000)).rejects.toBeInstanceOf(Unreadable)
})
