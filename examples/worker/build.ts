/** `npx node examples/worker/build.ts [folder]`: the worker as one file, and the settings that workerd reads. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { type ServerProduct, serverProduct } from '../product.ts'

export async function buildWorker(
  folder: string,
  { url, secretKey }: ServerProduct,
  port: number,
): Promise<string> {
  mkdirSync(folder, { recursive: true })
  await build({
    entryPoints: [join(import.meta.dirname, 'worker.ts')],
    outfile: join(folder, 'worker.mjs'),
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    logLevel: 'silent',
  })
  const config = join(folder, 'config.capnp')
  writeFileSync(
    config,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "internet", network = (allow = ["private", "public"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.mjs")],
  compatibilityDate = "2026-01-01",
  bindings = [
    (name = "ASSAY_URL", text = ${JSON.stringify(url)}),
    (name = "ASSAY_KEY", text = ${JSON.stringify(secretKey)}),
  ],
);
`,
  )
  return config
}

if (import.meta.main) {
  const config = await buildWorker(process.argv[2] ?? '.cache/worker', serverProduct(), 4504)
  console.log(`Now run: workerd serve ${config}`)
}
