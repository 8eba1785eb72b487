import type { Input, recordReplay } from '@assay/contract'
import type { TrafficEvent } from './traffic/events/wire.ts'

/** A recording of a visit, as `/replay.js` hands it in. */
type Recording = Omit<Input<typeof recordReplay>['body'], 'sent_at'>
type Recorded = Recording['events'][number]

/** Kinds of events of rrweb, as far as they are made here. */
const kinds = { fullSnapshot: 2, incremental: 3, meta: 4 } as const
const sources = { mouseMove: 1, mouseInteraction: 2, scroll: 3 } as const
const clickInteraction = 2

/** So many visits are enough to fill a page, and small: each takes some 20 KB. */
export const recordingsMax = 12
/** Of a visit; a longer one is cut. */
const pagesMax = 20
const screen = { width: 1_200, height: 800 }
const button = { x: 180, y: 420 }

/** Recordings of the visits with the most pages. */
export function recordVisits(events: readonly TrafficEvent[]): Recording[] {
  const bySession = Map.groupBy(
    events.filter(
      ({ isBot, wire }) => !isBot && wire.session_id !== undefined && wire.anonymous_id !== undefined,
    ),
    ({ wire }) => wire.session_id ?? '',
  )
  return [...bySession.values()]
    .map((visit) => visit.toSorted((a, b) => a.tsMs - b.tsMs))
    .filter((visit) => visit[0]?.wire.event === '$pageview')
    .toSorted((a, b) => b.length - a.length)
    .slice(0, recordingsMax)
    .map(recordVisit)
}

function recordVisit(visit: readonly TrafficEvent[]): Recording {
  const [first] = visit
  const user = visit.findLast(({ wire }) => wire.user_id !== undefined)?.wire.user_id
  const views = visit.filter(({ wire }) => wire.event === '$pageview').slice(0, pagesMax)
  return {
    replay_id: `demo-${first?.wire.session_id}`,
    chunk_id: `demo-${first?.wire.session_id}-0`,
    session_id: first?.wire.session_id ?? '',
    anonymous_id: first?.wire.anonymous_id ?? '',
    ...(user !== undefined && { user_id: user }),
    events: views
      .flatMap((view, index) => {
        const untilMs = views[index + 1]?.tsMs ?? view.tsMs + pageMs
        const during = visit.filter(({ tsMs }) => tsMs >= view.tsMs && tsMs < untilMs)
        return recordPage(view, during, Math.min(untilMs, view.tsMs + pageMs))
      })
      .toSorted((a, b) => a.timestamp - b.timestamp),
  }
}

/** The longest that someone moves on a page; after that they read. */
const pageMs = 12_000

function recordPage(view: TrafficEvent, during: readonly TrafficEvent[], untilMs: number): Recorded[] {
  const { url = '', title = '' } = view.wire.context.page ?? {}
  const atMs = view.tsMs
  const spanMs = Math.max(200, untilMs - atMs)
  const clicks = during.filter(({ wire }) => wire.event === '$click' || wire.event === '$form_submit')
  return [
    event(kinds.meta, atMs, { href: url, ...screen }),
    event(kinds.fullSnapshot, atMs + 1, {
      node: pageTree(title, new URL(url).pathname),
      initialOffset: { top: 0, left: 0 },
    }),
    ...[0.2, 0.4, 0.6, 0.8].map((share, step) =>
      incremental(sources.mouseMove, atMs + spanMs * share, {
        positions: [
          {
            x: button.x + (3 - step) * 120,
            y: button.y + (step % 2 === 0 ? 60 : -40) * (3 - step),
            id: bodyId,
            timeOffset: 0,
          },
        ],
      }),
    ),
    incremental(sources.scroll, atMs + spanMs * 0.5, { id: documentId, x: 0, y: 120 }),
    incremental(sources.scroll, atMs + spanMs * 0.7, { id: documentId, x: 0, y: 0 }),
    ...clicks.map(({ tsMs }) =>
      incremental(sources.mouseInteraction, Math.max(tsMs, atMs + 2), {
        type: clickInteraction,
        id: buttonId,
        ...button,
      }),
    ),
  ]
}

const event = (type: number, timestamp: number, data: object): Recorded => ({
  type,
  timestamp: Math.round(timestamp),
  data,
})
const incremental = (source: number, timestamp: number, data: object): Recorded =>
  event(kinds.incremental, timestamp, { source, ...data })

/** Ids of nodes that events name. */
const documentId = 1
const bodyId = 5
const buttonId = 6

const css = `body{margin:0;font:16px/1.5 system-ui,sans-serif;color:#1d2733;background:#f6f7f9}
header{padding:16px 40px;background:#14532d;color:#fff;font-weight:600}main{padding:40px}
h1{margin:0 0 8px;font-size:32px}
p{max-width:560px;color:#4b5563}section{display:flex;gap:16px;margin:24px 0}
article{flex:1;height:140px;padding:16px;border-radius:10px;background:#fff;box-shadow:0 1px 3px rgb(0 0 0/12%)}
button{padding:12px 28px;border:0;border-radius:8px;background:#15803d;color:#fff;font:inherit}`

type Node = { type: number; id: number } & Record<string, unknown>

/** A page as rrweb writes it: elements are nodes of type 2, texts of type 3. */
function pageTree(title: string, path: string): Node {
  let nextId = 10
  const text = (words: string): Node => ({ type: 3, id: nextId++, textContent: words })
  const element = (tagName: string, childNodes: Node[], id = nextId++, attributes = {}): Node => ({
    type: 2,
    id,
    tagName,
    attributes,
    childNodes,
  })
  const card = (words: string) => element('article', [element('strong', [text(words)])])
  const head = element('head', [
    element('style', [], nextId++, { _cssText: css }),
    element('title', [text(title)]),
  ])
  const body = element(
    'body',
    [
      element('header', [text('Northwind Outdoor')]),
      element('main', [
        element('h1', [text(title)]),
        element('p', [text(`A page of the demo: ${path}. Texts that visitors type are never recorded.`)]),
        element('section', [card('Tents'), card('Backpacks'), card('Boots')]),
        element('button', [text('Add to cart')], buttonId, { type: 'button' }),
      ]),
    ],
    bodyId,
  )
  const doctype: Node = { type: 1, id: 2, name: 'html', publicId: '', systemId: '' }
  return { type: 0, id: documentId, childNodes: [doctype, element('html', [head, body], 3, { lang: 'en' })] }
}
