import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Eleventy, { type Settings } from '@11ty/eleventy'
import { type Entry, type Group, groupsOf, sitePathOf, titleOf } from './contents.ts'
import { bundleFiles } from './files.ts'
import { layOut, type SiteFiles } from './layout.ts'
import { adaptMarkdown, inputFolder } from './markdown.ts'
import { referenceOf } from './reference.ts'
import { searchIndexOf, sectionsOf } from './search-index.ts'

const root = join(import.meta.dirname, '..', '..')
const docs = join(root, 'docs')
const read = (path: string) => readFileSync(join(docs, path), 'utf8')

type Page = { path: string; title: string; content: string }

/** Every file of the site by its path: the pages of docs/, the reference, and what they load. */
export async function makeSite(): Promise<Map<string, string | Buffer>> {
  const { entries, pages: reference } = referenceOf(JSON.parse(read('openapi.json')))
  const made = new Map([...reference, ...folderPages()])
  const groups = [...groupsOf(read('README.md')), { title: 'API reference', entries }]
  const copied = globSync(['openapi.json', 'images/*.png'], { cwd: docs })
  const written = globSync('**/*.md', { cwd: docs })
  const paths = new Set(
    [...written, ...made.keys(), ...copied].map((path) => path.replace(/README\.md$/, '')),
  )

  const pages = await render(made, (path) => paths.has(path))
  const { files, names } = await bundleFiles()
  const index = searchIndexOf(
    pages.filter(isSearched).flatMap(({ path, content }) => sectionsOf(path, content)),
  )
  const all: SiteFiles = { ...names, index: `assets/search-${hashOf(index)}.json` }
  return new Map<string, string | Buffer>([
    ...pages.map((page) => [page.path, layOut(page, groups, all)] as const),
    ...copied.map((path) => [path, readFileSync(join(docs, path))] as const),
    ...files,
    [all.index, index],
  ])
}

/** Decisions are for those who change the product: their own list leads to them. */
const isSearched = ({ path }: Page) => !path.startsWith('decisions/')

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16)

/** A folder has no list of its own in the repository, where the file browser shows it. */
function folderPages(): Map<string, string> {
  const listOf = (folder: string): Entry[] =>
    globSync(`${folder}/*.md`, { cwd: docs })
      .sort()
      .map((path) => ({ title: titleOf(read(path)), path: path.slice(folder.length + 1) }))
  const page = ({ title, entries }: Group) =>
    `# ${title}\n\n${entries.map((entry) => `- [${entry.title}](${entry.path})`).join('\n')}\n`
  return new Map([
    ['problems/README.md', page({ title: 'Problems', entries: listOf('problems') })],
    ['decisions/README.md', page({ title: 'Decisions', entries: listOf('decisions') })],
  ])
}

async function render(
  made: ReadonlyMap<string, string>,
  isOnSite: (path: string) => boolean,
): Promise<Page[]> {
  // Eleventy takes folders relative to where it runs; nothing is written there.
  process.chdir(root)
  const config = (settings: Settings) => {
    settings.setUseGitIgnore(false)
    settings.setTemplateFormats(['md'])
    // Pages are Markdown and nothing else: braces in them are text.
    settings.addGlobalData('templateEngineOverride', 'md')
    settings.amendLibrary('md', (reader) => adaptMarkdown(reader, isOnSite))
    for (const [path, markdown] of made) settings.addTemplate(path, markdown)
  }
  const generator = new Eleventy('docs', '.cache/docs', { quietMode: true, configPath: false, config })
  const rendered = await generator.toJSON()
  return rendered.map(({ inputPath, rawInput, content }) => {
    const path = inputPath.slice(inputFolder.length)
    return { path: sitePathOf(path), title: titleOf(rawInput), content }
  })
}
