import { escapeHtml } from '../../platform/mail/mail-layout.ts'
import type { Block, Figure, Rows, Section } from './blocks.ts'
import type { DigestLetter } from './letter.ts'

const ink = '#1c2430'
const quiet = '#5b6472'
const line = '#e3e6ea'
const accent = '#0b6b58'
const [good, bad] = ['#157347', '#b02a37']
const font = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
/** A table for layout only, hidden from screen readers. */
const plain = 'role="presentation" cellpadding="0" cellspacing="0" border="0"'
/** A long path breaks anywhere, so that no cell is wider than a narrow pane. */
const breaking = 'word-break:break-word;overflow-wrap:anywhere'

/**
 * Tables and inline styles, as all mail programs know them; nothing is loaded. Text and background both have a
 * colour, so that a program that turns a mail dark turns both.
 */
export function asHtml(
  { heading, about, summary, sections, action, notes }: DigestLetter,
  leave: string | null,
) {
  const small = notes.map((text) => `<p style="margin:0 0 6px">${escapeHtml(text)}</p>`).join('\n')
  const leaving =
    leave === null
      ? ''
      : `<p style="margin:0"><a href="${escapeHtml(leave)}" style="color:${quiet}">Unsubscribe</a></p>`
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light"><meta name="supported-color-schemes" content="light">
<title>${escapeHtml(heading)}</title></head>
<body style="margin:0;padding:0;background:#f4f5f7">
<div style="display:none;max-height:0;overflow:hidden">${escapeHtml(summary)}</div>
<table ${plain} width="100%" style="background:#f4f5f7"><tr><td align="center" style="padding:16px 8px">
<table ${plain} width="100%" style="max-width:600px;background:#ffffff;border-radius:8px">
<tr><td style="padding:24px 20px;${font};font-size:15px;line-height:1.45;color:${ink};text-align:left">
<h1 style="margin:0;font-size:20px;line-height:1.3;${breaking}">${escapeHtml(heading)}</h1>
<p style="margin:4px 0 0;font-size:14px;color:${quiet};${breaking}">${escapeHtml(about)}</p>
${sections.map(sectionHtml).join('\n')}
<table ${plain} style="margin:28px 0 24px"><tr><td style="border-radius:6px;background:${accent}">
<a href="${escapeHtml(action.url)}" style="${buttonStyle}">${escapeHtml(action.label)}</a></td></tr></table>
<div style="border-top:1px solid ${line};padding-top:14px;font-size:13px;color:${quiet}">
${small}
${leaving}
</div></td></tr></table></td></tr></table></body></html>
`
}

const buttonStyle = `display:inline-block;padding:11px 22px;${font};font-weight:600;color:#ffffff;text-decoration:none`

function sectionHtml({ title, blocks }: Section): string {
  const head =
    title === ''
      ? ''
      : `<h2 style="margin:28px 0 0;font-size:16px;line-height:1.3;${breaking}">${escapeHtml(title)}</h2>`
  return head + blocks.map(blockHtml).join('\n')
}

function blockHtml(block: Block): string {
  if (block.type === 'figures') return figuresHtml(block.figures)
  if (block.type === 'rows') return rowsHtml(block)
  const text = escapeHtml(block.text).replaceAll('\n', '<br>')
  return `<p style="margin:12px 0 0;font-size:14px;color:${quiet};${breaking}">${text}</p>`
}

/** Two side by side: more would not fit in a narrow pane. */
function figuresHtml(figures: readonly Figure[]): string {
  const lines: string[] = []
  for (let index = 0; index < figures.length; index += 2) {
    const cells = [figures[index], figures[index + 1]].map(figureHtml)
    lines.push(`<tr>${cells.join('')}</tr>`)
  }
  return `<table ${plain} width="100%" style="margin:16px 0 0">${lines.join('\n')}</table>`
}

function figureHtml(figure: Figure | undefined): string {
  if (figure === undefined) return '<td width="50%"></td>'
  const { name, text, change, isWorse } = figure
  const color = isWorse ? bad : good
  // On a line of its own: next to a long figure it would not always fit.
  const style = `font-size:13px;font-weight:600;color:${color}`
  const changed = change === '' ? '' : `<div style="${style}">${escapeHtml(change)}</div>`
  return `<td width="50%" valign="top" style="padding:8px 8px 8px 0;border-bottom:1px solid ${line}">
<div style="font-size:13px;color:${quiet}">${escapeHtml(name)}</div>
<div style="font-size:20px;line-height:1.3;font-weight:600;color:${ink}">${escapeHtml(text)}</div>${changed}</td>`
}

function rowsHtml({ columns, rows, shares }: Rows): string {
  const head = columns.map(({ name, isNumber }) => {
    const style = isNumber
      ? `padding:6px 0 4px 10px;${headStyle}`
      : `padding:6px 0 4px;${headStyle};${breaking}`
    return `<th align="${isNumber ? 'right' : 'left'}" valign="bottom" style="${style}">${escapeHtml(name)}</th>`
  })
  const body = rows.map((cells, index) => {
    const shown = cells.map((text, place) =>
      columns[place]?.isNumber
        ? `<td align="right" valign="top" style="${numberStyle}">${escapeHtml(text)}</td>`
        : `<td align="left" style="${textStyle}">${escapeHtml(text)}${barHtml(shares?.[index])}</td>`,
    )
    return `<tr>${shown.join('')}</tr>`
  })
  return `<table cellpadding="0" cellspacing="0" border="0" width="100%" style="margin:16px 0 0;font-size:14px">
<tr>${head.join('')}</tr>
${body.join('\n')}
</table>`
}

const headStyle = `font-size:13px;font-weight:600;color:${quiet};border-bottom:1px solid ${line}`
const numberStyle = 'padding:5px 0 5px 10px;white-space:nowrap'
const textStyle = `width:100%;padding:5px 0;${breaking}`

/** A cell of a given width, as some programs ignore the size of anything else. */
function barHtml(share: number | undefined): string {
  if (share === undefined) return ''
  const percent = Math.round(Math.min(1, Math.max(0, share)) * 100)
  if (percent === 0) return ''
  return `<table ${plain} width="${percent}%" style="margin-top:3px"><tr>
<td style="height:3px;line-height:3px;font-size:1px;background:#b9c8f5;border-radius:2px">&nbsp;</td></tr></table>`
}
