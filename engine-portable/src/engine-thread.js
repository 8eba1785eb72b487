import { getEnvironmentData } from 'node:worker_threads'
import { callDirectly, environmentKey } from './files/direct-files.js'

/**
 * A thread of the engine, started by the engine's own code, which instantiates the module there and takes no options.
 * So our calls are put in front of the engine's where it does that.
 */
const { files, moduleUrl } = getEnvironmentData(environmentKey)
WebAssembly.Instance = new Proxy(WebAssembly.Instance, {
  construct(Instance, [module, imports]) {
    for (const calls of Object.values(imports)) callDirectly(calls, files)
    return new Instance(module, imports)
  },
})
await import(moduleUrl)
