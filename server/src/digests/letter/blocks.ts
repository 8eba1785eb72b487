import { cut } from '@assay/contract'

export type Figure = {
  name: string
  text: string
  /** Since the period before; empty where there is nothing to say. */
  change: string
  isWorse: boolean
}

type Column = { name: string; isNumber: boolean }
/** Cells are ready to be read. `shares` are the lengths of bars below the first cells, from 0 to 1. */
export type Rows = {
  type: 'rows'
  columns: readonly Column[]
  rows: readonly (readonly string[])[]
  shares?: readonly number[]
}

/** What a mail is made of, in HTML and as text. */
export type Block = { type: 'figures'; figures: readonly Figure[] } | { type: 'words'; text: string } | Rows

export type Section = { title: string; blocks: readonly Block[] }

/** Anyone can send us a path or a name: it gets neither lines of its own nor another direction of reading. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu

/** As long as fits on two lines of a narrow pane. */
const labelCharactersMax = 80

export function label(text: string, charactersMax = labelCharactersMax): string {
  const plain = text.toWellFormed().replace(unseen, ' ').trim()
  return plain === '' ? 'unknown' : cut(plain, charactersMax)
}

export const textColumn = (name: string): Column => ({ name, isNumber: false })
export const numberColumn = (name: string): Column => ({ name, isNumber: true })

export const words = (text: string): Block => ({ type: 'words', text })
export const rowsOrNothing = (rows: Rows): Block =>
  rows.rows.length === 0 ? words('No data in this period.') : rows
