import type { FastifyReply, FastifyRequest } from 'fastify'

export type Cell = string | number | boolean | null
/** A header line and rows of as many cells. */
export type Table = { columns: readonly string[]; rows: readonly (readonly Cell[])[] }

/** Requested by the parameter, or preferred in the Accept header. */
export function wantsCsv(
  request: Pick<FastifyRequest, 'headers'>,
  format: 'json' | 'csv' | undefined,
): boolean {
  if (format !== undefined) return format === 'csv'
  return /^\s*text\/csv\b/i.test(request.headers.accept ?? '')
}

/** RFC 4180, with a header line. */
export function sendCsv(reply: FastifyReply, fileName: string, table: Table): FastifyReply {
  return reply
    .type('text/csv; charset=utf-8; header=present')
    .header('content-disposition', `attachment; filename="${fileName}.csv"`)
    .send(csvText(table))
}

function csvText({ columns, rows }: Table): string {
  return [columns, ...rows].map((row) => `${row.map(cellText).join(',')}\r\n`).join('')
}

/** Spreadsheets run a text that begins like a formula, and anyone can send us an event with such a name. */
const formulaStart = /^[=+\-@\t\r]/

function cellText(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell !== 'string') return String(cell)
  const text = formulaStart.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
