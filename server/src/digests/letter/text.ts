import type { Block, Section } from './blocks.ts'
import type { DigestLetter } from './letter.ts'

/** The same content for programs without HTML. */
export function asText(
  { heading, about, sections, action, notes }: DigestLetter,
  leave: string | null,
): string {
  const parts = [
    heading,
    about,
    ...sections.flatMap(sectionText),
    `${action.label}:\n${action.url}`,
    '--',
    notes.join('\n'),
    ...(leave === null ? [] : [`Unsubscribe:\n${leave}`]),
  ]
  return `${parts.join('\n\n')}\n`
}

function sectionText({ title, blocks }: Section): string[] {
  const head = title === '' ? [] : [`${title}\n${'='.repeat(Math.min(40, title.length))}`]
  return [...head, ...blocks.map(blockText)]
}

function blockText(block: Block): string {
  if (block.type === 'words') return block.text
  if (block.type === 'figures') {
    return block.figures
      .map(({ name, text, change }) => `${name}: ${text}${change === '' ? '' : ` (${change})`}`)
      .join('\n')
  }
  const [first, ...rest] = block.columns
  const head = `${first?.name ?? ''} (${rest.map(({ name }) => name.toLowerCase()).join(', ')})`
  const lines = block.rows.map(([name = '', ...values]) => `  ${name}: ${values.join(', ')}`)
  return [head, ...lines].join('\n')
}
