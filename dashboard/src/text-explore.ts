import { some } from './plural.ts'

/** Charts, filters, Explore and reports. */
export const exploreText = {
  chart: {
    asTable: 'Show table',
    time: 'Time',
    complete: 'Complete',
    usual: 'Usual',
    previous: 'Previous period',
    unfinished: 'so far',
    unchanged: 'no change',
    marks: 'Notes',
    role: 'chart',
    more: (count: number) => `and ${count} more`,
    download: 'Download',
    downloadOf: (title: string) => `Download: ${title}`,
    csv: 'Data (CSV)',
    png: 'Picture (PNG)',
    described: (title: string, count: number) =>
      `${title} over time, ${some(count, 'point')}. Arrow keys move from point to point.`,
  },
} as const
