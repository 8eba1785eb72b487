import { type Build, makeFolder, openBuiltFolder } from './built-folder.ts'
import type { StaticFile } from './static-file.ts'

export type DocsAssets = {
  /** The first page. */
  page: () => Promise<StaticFile>
  /** A file by its path below `/docs/`, and a page also without its ending; null when there is none. */
  file: (path: string) => Promise<StaticFile | null>
  /** Whether the path is a folder with a page: its address ends with a slash, so that its links work. */
  isFolder: (path: string) => Promise<boolean>
}

const build: Build = {
  name: 'docs-site',
  script: 'docs-site/build.ts',
  sources: [
    'docs',
    'docs-site/src',
    'docs-site/build.ts',
    'docs-site/package.json',
    'dashboard/src/style',
    'package-lock.json',
  ],
}

/** `problems/conflict.html`: two levels, and nothing that is hidden or compressed. */
const sitePath = /^(?:[a-z][\w-]*\/)?[\w-]+\.(?:html|js|css|svg|png|json|woff2)$/

/** By `npm run docs` in advance, or by the first start. */
export function openDocsAssets(dataDir: string): DocsAssets {
  const take = openBuiltFolder(build, dataDir)
  const file = async (path: string) => {
    const named = path === '' || path.endsWith('/') ? `${path}index.html` : path
    const whole = named.includes('.') ? named : `${named}.html`
    return sitePath.test(whole) ? take(...whole.split('/')) : null
  }
  return {
    file,
    page: async () => {
      const first = await file('')
      if (first === null) throw new Error('The docs site was made without a first page')
      return first
    },
    isFolder: async (path) => (await file(`${path}/`)) !== null,
  }
}

export const makeDocs = (parent: string): Promise<string> => makeFolder(build, parent)
