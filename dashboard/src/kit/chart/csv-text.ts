type CsvCell = string | number | boolean | null
export type CsvTable = { columns: readonly string[]; rows: readonly (readonly CsvCell[])[] }

/** RFC 4180, as the CSV of the API. */
export function csvText({ columns, rows }: CsvTable): string {
  return [columns, ...rows].map((row) => `${row.map(cellText).join(',')}\r\n`).join('')
}

/** Spreadsheets run a text that begins like a formula, and anyone can send an event with such a name. */
const formulaStart = /^[=+\-@\t\r]/

function cellText(cell: CsvCell): string {
  if (cell === null) return ''
  if (typeof cell !== 'string') return String(cell)
  const safe = formulaStart.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
