import { escapeHtml } from '../../platform/mail/mail-layout.ts'

/** A number with its change since the period before, which is empty where there is nothing to say. */
export type Figure = { name: string; text: string; change: string; isWorse: boolean }

export function figureHtml({ name, text, change, isWorse }: Figure): string {
  const kind = isWorse ? 'worse' : 'better'
  const changed = change === '' ? '' : ` <small class="${kind}">${escapeHtml(change)}</small>`
  return `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(text)}${changed}</dd></div>`
}
