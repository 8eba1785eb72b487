/** Makes `@assay/cli` as it is published: the command and the MCP server in one file, without dependencies. */
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { bundleCli } from '../../cli/bin/bundle.js'
import { emptyFolder, finishPackage } from './package-folder.ts'
import { thirdPartyLicences } from './third-parties.ts'

export async function makeCliPackage(folder: string): Promise<void> {
  emptyFolder(folder)
  const file = join(folder, 'assay.js')
  const licences = thirdPartyLicences(await bundleCli(file))
  chmodSync(file, 0o755)
  const manifest = {
    bin: { assay: './assay.js' },
    sideEffects: false,
    // A command, not a library.
    exports: { './package.json': './package.json' },
    files: ['assay.js', 'THIRD-PARTY-LICENSES.txt'],
  }
  finishPackage('cli', folder, manifest, licences)
}
