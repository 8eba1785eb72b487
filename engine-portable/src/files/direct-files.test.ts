import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { callDirectly, newDirectFiles } from './direct-files.js'

const root = mkdtempSync(join(tmpdir(), 'assay-direct-'))
afterAll(() => rmSync(root, { recursive: true }))

type Call = (...values: (number | bigint)[]) => number
// The types of Node know no memory; it is what the engine's calls find their arguments in.
const { Memory } = Object(Reflect.get(globalThis, 'WebAssembly'))

/** What the engine imports, under the short names that it has for them; each answers that the engine did it. */
const names = `___syscall_openat ___syscall_stat64 ___syscall_lstat64 ___syscall_fstat64 ___syscall_fcntl64
  ___syscall_fadvise64 ___syscall_fdatasync ___syscall_ioctl ___syscall_ftruncate64 ___syscall_fchmod ___syscall_dup
  ___syscall_dup3 ___syscall_mkdirat ___syscall_statfs64 _fd_pread _fd_read _fd_seek _fd_close _fd_fdstat_get
  _fd_write ___syscall_unlinkat`.split(/\s+/)
const engineDidIt = 424_242

function importsOf(wanted = names, mounted = root) {
  const memory = new Memory({ initial: 2, maximum: 2, shared: true })
  const imports: Record<string, unknown> = { a: memory }
  for (const [at, name] of wanted.entries()) imports[`x${at}`] = { [name]: () => engineDidIt }[name]
  callDirectly(imports, newDirectFiles([mounted]))
  const call = (name: string): Call => Object(imports)[`x${wanted.indexOf(name)}`]
  const bytes = Buffer.from(memory.buffer)
  return { bytes, call }
}

const [pathAt, vectorAt, dataAt, resultAt] = [1024, 2048, 4096, 3072]

function openFile({ bytes, call }: ReturnType<typeof importsOf>, target: string, flags = 0): number {
  bytes.write(`${target}\0`, pathAt)
  return call('___syscall_openat')(-100, BigInt(pathAt), flags, 0n)
}

test('a read, by place or onwards, returns the bytes of the file', () => {
  const content = Buffer.from(Array.from({ length: 700 }, (_, at) => (at * 37) % 251))
  writeFileSync(join(root, 'some file ä'), content)
  const engine = importsOf()
  const fd = openFile(engine, join(root, 'some file ä'))
  const { bytes, call } = engine
  const read = (length: number, from?: number): Buffer => {
    bytes.writeBigUInt64LE(BigInt(dataAt), vectorAt)
    bytes.writeBigUInt64LE(BigInt(length), vectorAt + 8)
    const vectors = [BigInt(vectorAt), 1n] as const
    const status =
      from === undefined
        ? call('_fd_read')(fd, ...vectors, BigInt(resultAt))
        : call('_fd_pread')(fd, ...vectors, BigInt(from), BigInt(resultAt))
    expect(status).toBe(0)
    return Buffer.from(bytes.subarray(dataAt, dataAt + Number(bytes.readBigUInt64LE(resultAt))))
  }
  let position = 0
  const step = fc.oneof(
    fc.record({ kind: fc.constant('place'), from: fc.nat(800), length: fc.nat(300) }),
    fc.record({ kind: fc.constant('onwards'), from: fc.nat(0), length: fc.nat(300) }),
    fc.record({ kind: fc.constant('seek'), from: fc.nat(800), length: fc.nat(2) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      for (const { kind, from, length } of steps) {
        if (kind === 'place') expect(read(length, from)).toEqual(content.subarray(from, from + length))
        else if (kind === 'onwards') {
          const expected = content.subarray(position, position + length)
          expect(read(length)).toEqual(expected)
          position += expected.length
        } else {
          const start = [0, position, content.length][length] ?? 0
          expect(call('_fd_seek')(fd, BigInt(from), length, BigInt(resultAt))).toBe(0)
          position = start + from
          expect(Number(bytes.readBigInt64LE(resultAt))).toBe(position)
        }
      }
    }),
  )
  expect(call('___syscall_fstat64')(fd, BigInt(dataAt))).toBe(0)
  expect(Number(bytes.readBigInt64LE(dataAt + 32))).toBe(content.length)
  expect(call('_fd_close')(fd)).toBe(0)
  // A descriptor that is closed already: the number of the error, as WASI has it.
  expect(call('_fd_close')(fd)).toBe(8)
})

const toCreate = 0o1 | 0o100 | 0o1000

test('a part that is being made is written at once, for its owner only', () => {
  const engine = importsOf()
  const { bytes, call } = engine
  const part = join(root, 'table/tmp_insert_all_1_1_0')
  mkdirSync(join(root, 'table'))
  bytes.write(`${part}\0`, pathAt)
  expect(call('___syscall_mkdirat')(-100, BigInt(pathAt), 0o777)).toBe(0)
  expect(call('___syscall_mkdirat')(-100, BigInt(pathAt), 0o777)).toBe(-20)
  const fd = openFile(engine, join(part, 'data.bin'), toCreate)
  const write = (text: string) => {
    bytes.write(text, dataAt)
    bytes.writeBigUInt64LE(BigInt(dataAt), vectorAt)
    bytes.writeBigUInt64LE(BigInt(Buffer.byteLength(text)), vectorAt + 8)
    return call('_fd_write')(fd, BigInt(vectorAt), 1n, BigInt(resultAt))
  }
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 300 }), { maxLength: 8 }), (texts) => {
      expect(call('_fd_seek')(fd, 0n, 0, BigInt(resultAt))).toBe(0)
      expect(call('___syscall_ftruncate64')(fd, 0n)).toBe(0)
      for (const text of texts) expect(write(text)).toBe(0)
      expect(readFileSync(join(part, 'data.bin'), 'utf8')).toBe(Buffer.from(texts.join('')).toString())
    }),
  )
  expect(call('_fd_close')(fd)).toBe(0)
  expect([part, join(part, 'data.bin')].map((place) => statSync(place).mode & 0o777)).toEqual([0o700, 0o600])
  const readOnly = openFile(engine, join(part, 'data.bin'))
  bytes.writeBigUInt64LE(1n, vectorAt + 8)
  expect(call('_fd_write')(readOnly, BigInt(vectorAt), 1n, BigInt(resultAt))).toBe(8)
  expect(call('_fd_close')(readOnly)).toBe(0)
})

test('a directory of the user may be named like a part', () => {
  const mounted = join(root, 'tmp_data')
  mkdirSync(mounted)
  const engine = importsOf(names, mounted)
  expect(openFile(engine, join(mounted, 'status'), toCreate)).toBe(engineDidIt)
  engine.bytes.write(`${join(mounted, 'store')}\0`, pathAt)
  expect(engine.call('___syscall_mkdirat')(-100, BigInt(pathAt), 0o777)).toBe(engineDidIt)
})

test('the free space is that of the host', () => {
  const { bytes, call } = importsOf()
  const below = join(root, 'measured')
  mkdirSync(below)
  bytes.write(`${below}\0`, pathAt)
  expect(call('___syscall_statfs64')(BigInt(pathAt), 88n, BigInt(dataAt))).toBe(0)
  const { bsize, blocks } = statfsSync(root)
  expect([bytes.readUInt32LE(dataAt + 8), bytes.readUInt32LE(dataAt + 72)]).toEqual([bsize, bsize])
  expect(Number(bytes.readBigInt64LE(dataAt + 16))).toBe(blocks)
})

test('what is not only reading, not below a root or a log of tokens stays with the engine', () => {
  const engine = importsOf()
  writeFileSync(join(root, 'plain'), 'x')
  const toWrite = 0o1
  for (const [target, flags] of [
    [join(root, 'plain'), toWrite],
    [join(root, 'plain'), 0o100],
    [join(root, 'tmp_insert_1/x'), toWrite | 0o2000],
    ['/etc/hostname', 0],
    [`${root}/../plain`, 0],
    ['relative', 0],
    [join(root, 'store/deduplication_logs/1.txt'), 0],
  ] as const) {
    expect(openFile(engine, target, flags), target).toBe(engineDidIt)
  }
  expect(engine.call('_fd_read')(7, 0n, 0n, 0n)).toBe(engineDidIt)
  expect(engine.call('___syscall_unlinkat')(-100, BigInt(pathAt), 0)).toBe(engineDidIt)
})

test('a missing file is reported as missing, and links are followed or shown by the call that is made', () => {
  const engine = importsOf()
  const { bytes, call } = engine
  expect(openFile(engine, join(root, 'nowhere'))).toBe(-44)
  writeFileSync(join(root, 'aim'), 'four')
  symlinkSync(join(root, 'aim'), join(root, 'link'))
  bytes.write(`${join(root, 'link')}\0`, pathAt)
  const kindOf = (name: string) => {
    expect(call(name)(BigInt(pathAt), BigInt(dataAt))).toBe(0)
    return (bytes.readUInt32LE(dataAt + 4) & 0o170000).toString(8)
  }
  expect([kindOf('___syscall_stat64'), kindOf('___syscall_lstat64')]).toEqual(['100000', '120000'])
  bytes.write(`${join(root, 'nowhere')}\0`, pathAt)
  expect(call('___syscall_stat64')(BigInt(pathAt), BigInt(dataAt))).toBe(-44)
})

test('an engine without one of the calls reads in its own way', () => {
  const engine = importsOf(names.filter((name) => name !== '_fd_seek'))
  writeFileSync(join(root, 'other'), 'x')
  expect(openFile(engine, join(root, 'other'))).toBe(engineDidIt)
})
