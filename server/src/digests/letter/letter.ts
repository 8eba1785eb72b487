import type { DigestFrequency } from '@assay/contract'
import { Temporal } from 'temporal-polyfill'
import type { Contents } from '../sending/contents.ts'
import type { Days } from '../sending/schedule.ts'
import { label, type Section } from './blocks.ts'
import { sectionOf } from './sections.ts'

/** All that a mail says; HTML and text are made from it. */
export type DigestLetter = {
  heading: string
  /** The site and the days, below the heading. */
  about: string
  /** What mail programs show behind the subject. */
  summary: string
  sections: readonly Section[]
  action: { label: string; url: string }
  /** Small, at the end. */
  notes: readonly string[]
}

type Options = { frequency: DigestFrequency; dashboardUrl: string; isTest: boolean; visitorsMin: number }

export function letterOf(contents: Contents, options: Options): { subject: string; letter: DigestLetter } {
  const { site, name, days, parts } = contents
  const { frequency, isTest, dashboardUrl, visitorsMin } = options
  const heading = label(name, nameCharactersMax)
  const siteName = label(site.name, nameCharactersMax)
  const when = daysText(days)
  const sections = parts.map(sectionOf)
  return {
    subject: `${isTest ? 'Test: ' : ''}${siteName}: ${heading}, ${when}`,
    letter: {
      heading,
      about: `${siteName} · ${when}`,
      summary: summaryOf(sections) ?? `Your ${frequency} summary for ${siteName}`,
      sections,
      action: { label: 'Open dashboard', url: dashboardUrl },
      notes: [
        `Compared with the previous ${frequency === 'weekly' ? 'week' : 'month'}. Days are in ${site.timezone}.`,
        `Rows with fewer than ${visitorsMin} visitors are left out.`,
      ],
    },
  }
}

const nameCharactersMax = 60

/** The first figures, in words. */
function summaryOf(sections: readonly Section[]): string | null {
  const figures = sections.flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.type === 'figures' ? block.figures : [])),
  )
  if (figures.length === 0) return null
  const said = figures
    .slice(0, 3)
    .map(({ name, text, change }) => `${name} ${text}${change && ` (${change})`}`)
  return said.join(', ')
}

/** 9 – 15 November 2026; or a month that is whole: November 2026. */
export function daysText({ from, to }: Days): string {
  const [start, end] = [Temporal.PlainDate.from(from), Temporal.PlainDate.from(to)]
  const said = (date: Temporal.PlainDate, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' }).format(
      Date.UTC(date.year, date.month - 1, date.day),
    )
  const isMonth = start.day === 1 && end.equals(start.add({ months: 1 }).subtract({ days: 1 }))
  if (isMonth) return said(start, { month: 'long', year: 'numeric' })
  const whole = said(end, { day: 'numeric', month: 'long', year: 'numeric' })
  if (start.year !== end.year)
    return `${said(start, { day: 'numeric', month: 'long', year: 'numeric' })} – ${whole}`
  if (start.month !== end.month) return `${said(start, { day: 'numeric', month: 'long' })} – ${whole}`
  return `${start.day} – ${whole}`
}
