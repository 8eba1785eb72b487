import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { privateUmask } from './platform/files/private-directory.ts'
import { beginWithAllocator } from './platform/node/allocator.ts'
import { importSourcesDirectly } from './platform/node/source-imports.ts'

beginWithAllocator(process.env)
const startedMs = performance.now()
// Before anything is written: the embedded stores create files that everyone may write.
process.umask(privateUmask)
// Node strips types and compiles each file at every start, which is a third of it. It remembers both next to the
// sources, and does without where it may not write there.
const compiled = fileURLToPath(new URL('../../.cache/compiled', import.meta.url))
enableCompileCache(compiled)
// Threads look for it here.
process.env.NODE_COMPILE_CACHE ??= compiled
importSourcesDirectly(new URL('../../', import.meta.url).href)
const { runProcess } = await import('./app/process.ts')
await runProcess(startedMs)
