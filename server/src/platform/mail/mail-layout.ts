/** Content of a mail; text and HTML are made from it. */
type Letter = {
  heading: string
  paragraphs: readonly string[]
  action: { label: string; url: string }
  /** Below the button, smaller. */
  notes: readonly string[]
  /** Above the button. The first column is text, the others are numbers. */
  table?: { head: readonly string[]; rows: readonly (readonly string[])[] }
  /** A link below the notes. */
  unsubscribeUrl?: string
}

export function writeLetter(letter: Letter): { text: string; html: string } {
  return { text: asText(letter), html: asHtml(letter) }
}

function asText({ heading, paragraphs, action, notes, table, unsubscribeUrl }: Letter): string {
  const rows = table === undefined ? [] : [tableText([table.head, ...table.rows])]
  const link = unsubscribeUrl === undefined ? [] : [`Unsubscribe:\n${unsubscribeUrl}`]
  const parts = [heading, ...paragraphs, ...rows, `${action.label}:\n${action.url}`, '--', ...notes, ...link]
  return `${parts.join('\n\n')}\n`
}

function tableText(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => cells.join(': ')).join('\n')
}

const ink = '#1c2430'
const quiet = '#5b6472'
const font = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
const button = `display:inline-block;padding:12px 24px;${font};font-weight:600;color:#fff;text-decoration:none`
/** A table for layout only, hidden from screen readers. */
const plain = 'role="presentation" cellpadding="0" cellspacing="0"'

/**
 * Tables and inline styles: the part of HTML that every mail program supports. Nothing is loaded from other
 * servers.
 */
function asHtml({ heading, paragraphs, action, notes, table, unsubscribeUrl }: Letter): string {
  const url = escapeHtml(action.url)
  const lines = paragraphs.map((line) => `<p style="margin:0 0 16px">${escapeHtml(line)}</p>`).join('\n')
  const small = notes.map((line) => `<p style="margin:0 0 8px">${escapeHtml(line)}</p>`).join('\n')
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light"><title>${escapeHtml(heading)}</title></head>
<body style="margin:0;background:#f4f5f7">
<div style="display:none;max-height:0;overflow:hidden">${escapeHtml(paragraphs[0] ?? '')}</div>
<table ${plain} width="100%"><tr><td align="center" style="padding:32px 16px">
<table ${plain} width="100%" style="max-width:480px;background:#ffffff;border-radius:8px">
<tr><td style="padding:32px;${font};font-size:16px;line-height:1.5;color:${ink};word-break:break-word">
<h1 style="margin:0 0 16px;font-size:20px">${escapeHtml(heading)}</h1>
${lines}${table === undefined ? '' : tableHtml(table)}
<table ${plain} style="margin:8px 0 24px"><tr>
<td style="border-radius:6px;background:#0b6b58"><a href="${url}" style="${button}">${escapeHtml(action.label)}</a></td>
</tr></table>
<p style="margin:0 0 16px;font-size:13px;color:${quiet}">If the button does nothing, open this address:<br>
<a href="${url}" style="color:${quiet};word-break:break-all">${url}</a></p>
<div style="border-top:1px solid #e3e6ea;padding-top:16px;font-size:13px;color:${quiet}">
${small}${unsubscribeUrl === undefined ? '' : unsubscribeHtml(unsubscribeUrl)}
</div></td></tr></table></td></tr></table></body></html>
`
}

function tableHtml({ head, rows }: NonNullable<Letter['table']>): string {
  const cell = (tag: 'td' | 'th', text: string, place: number, color: string) =>
    `<${tag} align="${place === 0 ? 'left' : 'right'}" style="padding:6px 0;border-bottom:1px solid #e3e6ea;` +
    `font-weight:400;${place === 0 ? 'white-space:nowrap;padding-right:16px' : 'word-break:break-word'};` +
    `color:${color}">${escapeHtml(text)}</${tag}>`
  const row = (tag: 'td' | 'th', cells: readonly string[], color: string) =>
    `<tr>${cells.map((text, place) => cell(tag, text, place, color)).join('')}</tr>`
  return `
<table width="100%" cellpadding="0" cellspacing="0" style="margin:0 0 24px;font-size:14px">
${[row('th', head, quiet), ...rows.map((cells) => row('td', cells, ink))].join('\n')}
</table>`
}

function unsubscribeHtml(url: string): string {
  return `
<p style="margin:0"><a href="${escapeHtml(url)}" style="color:${quiet}">Unsubscribe</a></p>`
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
}
