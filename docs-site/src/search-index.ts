import MiniSearch from 'minisearch'
import { indexOptions, type Section } from './search-options.ts'

/** What is found is a section: a heading and the text below it. */
export function sectionsOf(path: string, html: string): Omit<Section, 'id'>[] {
  const page = plain(/<h1[^>]*>([\s\S]*?)<\/h1>/.exec(html)?.[1] ?? '')
  return html
    .split(/(?=<h[1-3] )/)
    .filter((part) => part.startsWith('<h'))
    .map((part) => {
      const [, level, id = '', heading = ''] = /^<h([1-3]) id="([^"]*)"[^>]*>([\s\S]*?)<\/h/.exec(part) ?? []
      const text = plain(part.slice(part.indexOf('</h')))
      const isPage = level === '1'
      return { page, path: isPage ? path : `${path}#${id}`, heading: isPage ? '' : plain(heading), text }
    })
}

/** As JSON: the browser reads it without building it again. */
export function searchIndexOf(sections: readonly Omit<Section, 'id'>[]): string {
  const index = new MiniSearch<Section>(indexOptions)
  index.addAll(sections.map((section, id) => ({ id, ...section })))
  return JSON.stringify(index)
}

const characters: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }

function plain(html: string): string {
  return html
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => characters[name] ?? ' ')
    .replace(/\s+/g, ' ')
    .trim()
}
