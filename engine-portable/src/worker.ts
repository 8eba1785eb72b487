import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parentPort, setEnvironmentData, workerData } from 'node:worker_threads'
import { configuration } from './configuration.ts'
import type { EngineFactory, EngineModule } from './emscripten.ts'
import {
  environmentKey,
  instantiate,
  memoryIn,
  newDirectFiles,
  type SharedMemory,
} from './files/direct-files.js'
import { type HostFiles, hostFiles } from './files/host-files.ts'
import { LazyThread } from './lazy-thread.ts'
import type { FromEngine, Outcome, ToEngine, WorkerStart } from './protocol.ts'
import { identifier, leavesNothing, preparation, type Statement } from './statement.ts'

/**
 * The thread in which the engine runs. It answers one message at a time, in the order of their arrival; the call
 * into the engine blocks the thread, while the engine's background threads have their file access served by it.
 */

const requiredSettings = {
  // Memory-mapped reading aborts the build.
  storage_file_read_method: 'pread',
  // By default a thread of its own reads the files, and each read waits for it: half of what a small SELECT takes.
  local_filesystem_read_method: 'pread',
  // The build runs one pipeline thread at a time, whatever is set here; more of them only cost their start.
  max_threads: '1',
  max_insert_threads: '1',
  // Two thirds of what the build can address: the rest is for caches, merges and what was not given back yet.
  max_memory_usage: '1400000000',
  // Beyond this a statement moves groups, or rows to sort, to files. As late as possible for groups: what is read back
  // from files counts as in use forever in this build, so that a statement which does it early is refused.
  max_bytes_before_external_group_by: '1000000000',
  max_bytes_before_external_sort: '200000000',
  // It has no compiler of its own.
  compile_expressions: '0',
  compile_aggregate_expressions: '0',
  compile_sort_description: '0',
  // It would start threads for each answer, which spin until they are needed: a fifth of what a small read takes.
  output_format_parallel_formatting: '0',
}

class StatementFailed extends Error {}

if (!parentPort) throw new Error('This file is the entry of a worker thread')
const port = parentPort
// Boundary: the starter passes exactly this shape.
const start = workerData as WorkerStart

function post(message: FromEngine, transfer: ArrayBuffer[] = []): void {
  port.postMessage(message, transfer)
}

const { engine, memory, module } = await loadModule()
const files = mountAll(engine, start)
// The engine stops when its last connection closes, so one stays open. It also takes the statements that leave nothing
// behind; each other one has a connection of its own, which costs 4 ms of the 15 that a small read takes.
let sharedConnection = prepared()
// Boundary: the build's memory is shared between its threads, so its buffer is a SharedArrayBuffer.
const cancelFlag = new Int32Array(memory.buffer, call('chdb_wasm_cancel_flag_addr'), 1)
port.on('message', (message: ToEngine) => {
  if (message.kind === 'close') close()
  else answer(message.statement)
})
post({ kind: 'ready', cancelFlag, module })

type LoadedEngine = { engine: EngineModule; memory: SharedMemory; module: WebAssembly.Module }

async function loadModule(): Promise<LoadedEngine> {
  // The package exports the .wasm file but not the module next to it.
  const wasm = createRequire(import.meta.url).resolve('chdb-wasm/chdb.wasm')
  const moduleUrl = pathToFileURL(path.join(path.dirname(wasm), 'chdb.mjs')).href
  // Boundary: the module has no types.
  const { default: createModule } = (await import(moduleUrl)) as { default: EngineFactory }
  const notice = (text: string): void => post({ kind: 'notice', text })
  startThreadsWhenNeeded()
  const files = newDirectFiles(start.mounts)
  setEnvironmentData(environmentKey, { files, moduleUrl })
  const module = start.module ?? new WebAssembly.Module(readFileSync(wasm))
  let memory: SharedMemory | undefined
  const engine = await createModule({
    print: notice,
    printErr: notice,
    onAbort: () => undefined,
    mainScriptUrlOrBlob: fileURLToPath(new URL('./engine-thread.js', import.meta.url)),
    // Where it fails the thread ends with that error, as it should.
    instantiateWasm: (imports, received) => {
      memory = memoryIn(imports)
      void instantiate(module, imports, files).then((instance) => received(instance, module))
    },
  })
  if (memory === undefined) throw new Error('The engine was built without a memory that threads share')
  return { engine, memory, module }
}

/**
 * All of the engine's memory as it is now. Any of its threads may make it grow, and the view that the engine's own code
 * offers is only renewed when that code runs in this thread: it would end before what was put behind its end.
 */
function heap(): Uint8Array<SharedArrayBuffer> {
  return new Uint8Array(memory.buffer)
}

/** Its own code starts the threads and takes the class from here. */
function startThreadsWhenNeeded(): void {
  createRequire(import.meta.url)('node:worker_threads').Worker = LazyThread
}

/** Every directory stands at its own path, so that SQL names files as it would for an engine without a sandbox. */
function mountAll(module: EngineModule, { mounts }: WorkerStart): HostFiles {
  const mounted = hostFiles(module.FS)
  // Where the engine looks for it at its start.
  module.FS.writeFile('/config.xml', configuration)
  for (const directory of mounts) {
    module.FS.mkdirTree(directory)
    module.FS.mount(mounted.type, { root: directory }, directory)
  }
  return mounted
}

function call(name: string, ...values: number[]): number {
  return Number(
    engine.ccall(
      name,
      'number',
      values.map(() => 'pointer'),
      values,
    ),
  )
}

/** On the heap, not on the engine's small stack: a statement may carry megabytes. */
function withText<T>(text: string, act: (address: number) => T): T {
  const bytes = Buffer.from(text, 'utf8')
  const address = Number(engine._malloc(BigInt(bytes.length + 1)))
  if (address === 0) throw new Error(`The engine has no memory left for a statement of ${bytes.length} bytes`)
  try {
    const whole = heap()
    whole.set(bytes, address)
    whole[address + bytes.length] = 0
    return act(address)
  } finally {
    engine._free(BigInt(address))
  }
}

function connect(): number {
  const connection = withText(start.path, (address) => call('chdb_wasm_connect', address))
  if (connection === 0) throw new Error(`The engine could not open ${start.path}`)
  return connection
}

/** A connection with the settings that every statement needs. */
function prepared(): number {
  const connection = connect()
  for (const sql of preparation({ settings: requiredSettings, parameters: {} }))
    query(connection, sql, 'Null')
  return connection
}

function answer(statement: Statement): void {
  if (!leavesNothing(statement)) {
    answerApart(statement)
    return
  }
  if (answerOn(sharedConnection, statement, {})) return
  // Its state is unknown now. The new one comes first, since the engine stops with the last.
  const failed = sharedConnection
  sharedConnection = prepared()
  call('chdb_wasm_close_conn', failed)
}

function answerApart(statement: Statement): void {
  const connection = connect()
  answerOn(connection, statement, { ...statement.settings, ...requiredSettings })
  call('chdb_wasm_close_conn', connection)
}

/** Whether the statement was not refused. */
function answerOn(connection: number, statement: Statement, settings: Statement['settings']): boolean {
  try {
    if (statement.database) query(connection, `USE ${identifier(statement.database)}`, 'Null')
    for (const sql of preparation({ ...statement, settings })) query(connection, sql, 'Null')
    const outcome = query(connection, statement.sql, statement.format)
    files.flush()
    post({ kind: 'done', outcome, memoryBytes: memoryBytes() }, [outcome.bytes.buffer])
    return true
  } catch (error) {
    if (!(error instanceof StatementFailed)) throw error
    files.flush()
    post({ kind: 'failed', message: error.message, memoryBytes: memoryBytes() })
    return false
  }
}

const memoryBytes = (): number => memory.buffer.byteLength

function query(connection: number, sql: string, format: string): Outcome {
  if (sql.includes('\0'))
    throw new StatementFailed('A statement cannot contain a NUL character; bind it as a parameter')
  const result = withText(sql, (sqlAddress) =>
    withText(format, (formatAddress) => call('chdb_wasm_query_conn', connection, sqlAddress, formatAddress)),
  )
  if (result === 0) throw new StatementFailed('The engine gave no answer')
  try {
    const problem = call('chdb_wasm_result_error', result)
    if (problem !== 0) throw new StatementFailed(engine.UTF8ToString(problem))
    return readOutcome(result)
  } finally {
    call('chdb_wasm_free_result', result)
  }
}

function readOutcome(result: number): Outcome {
  const address = call('chdb_wasm_result_buffer', result)
  const bytes = new Uint8Array(call('chdb_wasm_result_length', result))
  if (address !== 0) bytes.set(heap().subarray(address, address + bytes.length))
  return {
    bytes,
    resultRows: call('chdb_wasm_result_rows_read', result),
    resultBytes: call('chdb_wasm_result_bytes_read', result),
    scannedRows: call('chdb_wasm_result_scanned_rows', result),
    scannedBytes: call('chdb_wasm_result_scanned_bytes', result),
    elapsedMs: call('chdb_wasm_result_elapsed', result) * 1000,
  }
}

function close(): void {
  call('chdb_wasm_close_conn', sharedConnection)
  files.flush()
  files.close().then(() => post({ kind: 'closed' }))
}
