import type { AlertFacts } from './facts.ts'
import { comparison, headline, recentRows } from './words.ts'

/** The body that Slack and those who take the same expect. */
export function slackBody(facts: AlertFacts, dashboardUrl: string): string {
  const title = headline(facts)
  const recent = recentRows(facts)
    .map((row) => row.join(': '))
    .join(' · ')
  const about = `${facts.alertName} · times in ${facts.timezone}`
  const lines = [`*${escaped(title)}*`, escaped(comparison(facts)), escaped(recent)]
  return JSON.stringify({
    text: escaped(title),
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', text: lines.join('\n') } },
      {
        type: 'context',
        elements: [{ type: 'mrkdwn', text: `${escaped(about)} · <${dashboardUrl}|Open dashboard>` }],
      },
    ],
  })
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** Without this, a name could mention a whole channel or hide a link. */
function escaped(text: string): string {
  return text.replace(/[&<>]/g, (character) => entities[character] ?? character)
}
