import fs from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { EngineFactory, FileStream } from '../emscripten.ts'
import { type HostFiles, hostFiles } from './host-files.ts'

/** The run time's calls as the engine's C library makes them, beyond those that the product makes itself. */
interface Calls {
  open(path: string, flags: number | string, mode?: number): FileStream
  close(stream: FileStream): void
  read(stream: FileStream, into: Int8Array, offset: number, length: number, position?: number): number
  write(stream: FileStream, from: Int8Array, offset: number, length: number, position?: number): number
  dupStream(stream: FileStream): FileStream
  llseek(stream: FileStream, offset: number, whence: number): number
  rename(from: string, to: string): void
  unlink(path: string): void
  mkdir(path: string): void
  rmdir(path: string): void
  readdir(path: string): string[]
  stat(path: string): { size: number; mode: number }
  fstat(fd: number): { size: number }
  truncate(path: string, size: number): void
  ftruncate(fd: number, size: number): void
  readFile(path: string, options: { encoding: 'utf8' }): string
  writeFile(path: string, content: string): void
  statfs(path: string): { bsize: number; bavail: number }
}

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-files-'))
let calls: Calls
let files: HostFiles
beforeAll(async () => {
  const wasm = createRequire(import.meta.url).resolve('chdb-wasm/chdb.wasm')
  // boundary: the bundle has no types of its own.
  const module = (await import(pathToFileURL(path.join(path.dirname(wasm), 'chdb.mjs')).href)) as {
    default: EngineFactory
  }
  const silent = (): void => undefined
  const { FS } = await module.default({ print: silent, printErr: silent, onAbort: silent })
  files = hostFiles(FS)
  FS.mkdirTree(home)
  FS.mount(files.type, { root: home }, home)
  // Boundary: the same object, seen with the calls that only this test makes.
  calls = FS as unknown as Calls
})
afterAll(async () => {
  await files.close()
  fs.rmSync(home, { recursive: true })
})

const flag = { writeOnly: 1, readWrite: 2, create: 0o100, exclusive: 0o200, truncate: 0o1000, append: 0o2000 }
const at = (name: string): string => path.join(home, name)
const onHost = (name: string): string => fs.readFileSync(at(name), 'utf8')
const bytes = (text: string): Int8Array => new Int8Array(Buffer.from(text))
function append(stream: FileStream, text: string, position?: number): void {
  expect(calls.write(stream, bytes(text), 0, text.length, position)).toBe(text.length)
}
function create(name: string, flags = flag.writeOnly | flag.create): FileStream {
  return calls.open(at(name), flags, 0o666)
}
const errnoOf = (act: () => unknown): unknown => {
  try {
    act()
    return 0
  } catch (error) {
    return error instanceof Error || typeof error === 'object' ? Reflect.get(Object(error), 'errno') : error
  }
}

test('what is written stands on the host at once, readable to its owner and group only', () => {
  const stream = create('plain')
  append(stream, 'hello')
  expect(onHost('plain')).toBe('hello')
  append(stream, 'J', 0)
  calls.close(stream)
  expect(onHost('plain')).toBe('Jello')
  expect(fs.statSync(at('plain')).mode & 0o777).toBe(0o600)
  expect(calls.readFile(at('plain'), { encoding: 'utf8' })).toBe('Jello')
  expect(calls.stat(at('plain')).size).toBe(5)
})

test('an appended file grows at its end, also when others wrote to it meanwhile', () => {
  fs.writeFileSync(at('log'), 'one ')
  const stream = create('log', flag.writeOnly | flag.append)
  append(stream, 'two ')
  fs.appendFileSync(at('log'), 'three ')
  append(stream, 'four')
  calls.close(stream)
  expect(onHost('log')).toBe('one two three four')
})

test('a file is cut by its name, by its descriptor and by being opened again', () => {
  calls.writeFile(at('cut'), '123456')
  calls.truncate(at('cut'), 4)
  expect(onHost('cut')).toBe('1234')
  const stream = create('cut', flag.readWrite)
  calls.ftruncate(Number(stream.fd), 2)
  expect(calls.llseek(stream, 0, 2)).toBe(2)
  calls.close(stream)
  calls.close(create('cut', flag.writeOnly | flag.truncate))
  expect(onHost('cut')).toBe('')
})

test('a duplicate keeps the file open and shares its position', () => {
  const stream = create('twice')
  const duplicate = calls.dupStream(stream)
  append(stream, 'ab')
  calls.close(stream)
  append(duplicate, 'cd')
  calls.close(duplicate)
  files.flush()
  expect(onHost('twice')).toBe('abcd')
})

test('a rename replaces what stood there, and the place can be used again afterwards', () => {
  calls.writeFile(at('new'), 'new')
  calls.writeFile(at('old'), 'old')
  calls.rename(at('new'), at('old'))
  expect(onHost('old')).toBe('new')
  expect(fs.existsSync(at('new'))).toBe(false)
  calls.unlink(at('old'))
  calls.writeFile(at('old'), 'again')
  expect(onHost('old')).toBe('again')
})

test('a file stays readable and writable under its descriptor when its directory is renamed or it is removed', () => {
  calls.mkdir(at('tmp_insert_1'))
  const stream = create('tmp_insert_1/data', flag.readWrite | flag.create)
  append(stream, 'before ')
  calls.rename(at('tmp_insert_1'), at('part_1'))
  append(stream, 'after')
  files.flush()
  expect(onHost('part_1/data')).toBe('before after')
  calls.unlink(at('part_1/data'))
  const into = new Int8Array(6)
  expect(calls.read(stream, into, 0, 6, 0)).toBe(6)
  expect(Buffer.from(into).toString()).toBe('before')
  expect(calls.fstat(Number(stream.fd)).size).toBe(12)
  calls.close(stream)
  calls.rmdir(at('part_1'))
  expect(fs.existsSync(at('part_1'))).toBe(false)
})

test('files that the host makes or removes are seen so', () => {
  fs.writeFileSync(at('segment'), 'rows')
  expect(calls.readdir(home)).toContain('segment')
  expect(calls.readFile(at('segment'), { encoding: 'utf8' })).toBe('rows')
  fs.rmSync(at('segment'))
  expect(errnoOf(() => calls.stat(at('segment')))).toBe(44)
  calls.writeFile(at('segment'), 'engine')
  expect(onHost('segment')).toBe('engine')
})

test('a token reaches its log only when the rows that it speaks of have their final name', () => {
  calls.mkdir(at('table'))
  calls.mkdir(at('table/deduplication_logs'))
  const log = create('table/deduplication_logs/log_1.txt')
  append(log, 'token 1 ')
  append(log, 'of part 1\n')
  calls.mkdir(at('table/tmp_insert_1'))
  calls.mkdir(at('table/tmp_merge_1'))
  calls.rename(at('table/tmp_merge_1'), at('table/merged'))
  expect(onHost('table/deduplication_logs/log_1.txt')).toBe('')
  calls.rename(at('table/tmp_insert_1'), at('table/part_1'))
  expect(onHost('table/deduplication_logs/log_1.txt')).toBe('token 1 of part 1\n')
  append(log, 'token 2\n')
  files.flush()
  expect(onHost('table/deduplication_logs/log_1.txt')).toBe('token 1 of part 1\ntoken 2\n')
  append(log, 'token 3\n')
  calls.close(log)
  expect(onHost('table/deduplication_logs/log_1.txt')).toBe('token 1 of part 1\ntoken 2\ntoken 3\n')
})

test('many files are brought to the disk at once, over and over', () => {
  for (let round = 0; round < 5; round += 1) {
    calls.mkdir(at(`tmp_${round}`))
    const streams = Array.from({ length: 300 }, (_, index) => create(`tmp_${round}/${index}`))
    streams.forEach((stream, index) => void append(stream, String(index)))
    streams.forEach((stream) => void calls.close(stream))
    calls.rename(at(`tmp_${round}`), at(`part_${round}`))
  }
  files.flush()
  expect(onHost('part_4/299')).toBe('299')
})

test('a refusal of the host reaches the engine under its own number', () => {
  calls.mkdir(at('full'))
  calls.writeFile(at('full/file'), '')
  const missing = 44
  expect(errnoOf(() => calls.open(at('absent'), 0))).toBe(missing)
  expect(errnoOf(() => calls.rmdir(at('full')))).toBe(55)
  expect(errnoOf(() => calls.mkdir(at('full')))).toBe(20)
  expect(errnoOf(() => create('full/file', flag.writeOnly | flag.create | flag.exclusive))).toBe(20)
  expect(errnoOf(() => create('full/file/below'))).toBe(54)
  expect(errnoOf(() => create('n'.repeat(300)))).toBe(37)
})

test('a write that the host refuses fails with its reason', () => {
  const stream = create('fills')
  const file = stream.shared.hostFile
  if (!file) throw new Error('The file was not opened on the host')
  fs.closeSync(file.descriptor)
  // Linux has a device that is always full; elsewhere a descriptor that may only be read has to do.
  const isFull = fs.existsSync('/dev/full')
  file.descriptor = isFull ? fs.openSync('/dev/full', 'w') : fs.openSync(at('fills'), 'r')
  expect(errnoOf(() => calls.write(stream, bytes('x'), 0, 1))).toBe(isFull ? 51 : 8)
})

test('the free space is that of the host', () => {
  const { bsize, bavail } = fs.statfsSync(home)
  const figures = calls.statfs(home)
  expect(figures.bsize).toBe(bsize)
  // Others write to the same disk meanwhile.
  expect(Math.abs(figures.bavail - bavail) * bsize).toBeLessThan(10e9)
})
