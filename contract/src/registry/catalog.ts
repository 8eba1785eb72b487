import { type EventContract, type PropertyRule, type PropertyType, surfaces } from './event-contract.ts'

export const categories = ['Core', 'Acquisition', 'Revenue', 'Engagement', 'Retention'] as const
export type Category = (typeof categories)[number]

type Rules = Readonly<Record<string, PropertyRule>>

const rule =
  (type: PropertyType) =>
  (description: string, more: Partial<PropertyRule> = {}): PropertyRule => ({ type, description, ...more })
const text = rule('string')
const number = rule('number')
const flag = rule('boolean')
const list = rule('array')
const record = rule('object')

const currency = text('ISO 4217 code of the amount', { format: 'currency' })
const money = (description: string): PropertyRule => number(`${description}, in major units of the currency`)

function contract(
  key: string,
  name: string,
  description: string,
  required: Rules,
  optional: Rules,
): EventContract {
  const properties: Record<string, PropertyRule> = {}
  for (const [property, shape] of Object.entries(required))
    properties[property] = { ...shape, required: true }
  for (const [property, shape] of Object.entries(optional)) properties[property] = shape
  return {
    key,
    name,
    version: '1-0-0',
    status: 'published',
    description,
    properties,
    // Standard events may have more properties than the catalog names, so extra ones are never an issue.
    additional: 'accept',
    surfaces,
    purpose: 'analytics_storage',
  }
}

function standard(
  category: Category,
  key: string,
  description: string,
  required: Rules,
  optional: Rules,
): EventContract {
  return { ...contract(key, `$${key}`, description, required, optional), category }
}

/** The 18 events that mean the same on every surface. No other name may begin with `$`. */
export const standardEvents: readonly EventContract[] = [
  standard(
    'Core',
    'pageview',
    'A page or screen is viewed.',
    { url: text('Address or path of the page'), title: text('Title of the page') },
    { referrer: text('Address the visitor came from'), duration_ms: number('Time spent on the page') },
  ),
  standard(
    'Core',
    'session_start',
    'A session begins.',
    { session_id: text('Id of the session') },
    { landing_page: text('First page of the session'), utm_source: text('Campaign source') },
  ),
  standard(
    'Core',
    'session_end',
    'A session ends or times out.',
    { session_id: text('Id of the session'), duration_ms: number('Length of the session') },
    { page_count: number('Pages seen in the session') },
  ),
  standard(
    'Core',
    'identify',
    'The current visitor is tied to a known identity.',
    { user_id: text('Your own id of the person') },
    {
      email: text('E-mail address of the person', { pii: 'allow' }),
      name: text('Name of the person', { pii: 'allow' }),
      plan: text('Plan the person is on'),
    },
  ),
  standard(
    'Acquisition',
    'signup',
    'An account or profile is created.',
    { method: text('How: email, google, sso') },
    { referral_code: text('Code of the referrer'), plan: text('Plan chosen') },
  ),
  standard(
    'Acquisition',
    'login',
    'A user authenticates.',
    { method: text('How: password, google, sso') },
    { two_factor: flag('Whether a second factor was used') },
  ),
  standard(
    'Acquisition',
    'invite',
    'A user invites another person.',
    { channel: text('Where: email, link, sms') },
    { invite_code: text('Code of the invitation') },
  ),
  standard(
    'Revenue',
    'purchase',
    'A completed transaction.',
    { amount: money('Total paid'), currency },
    {
      order_id: text('Your own id of the order'),
      // `sku` and `qty` are what the SDKs send, not a requirement: items with other members are valid.
      items: list('What was bought', {
        items: record('One line of the order', {
          properties: { sku: text('Article'), qty: number('Quantity') },
        }),
      }),
      coupon: text('Coupon used'),
    },
  ),
  standard(
    'Revenue',
    'subscribe',
    'A recurring subscription starts.',
    { plan: text('Plan subscribed to'), amount: money('Price of one interval'), currency },
    { interval: text('Billing interval: month, year'), trial: flag('Whether it starts with a trial') },
  ),
  standard(
    'Revenue',
    'upgrade',
    'A move to a higher plan.',
    { from_plan: text('Plan before'), to_plan: text('Plan after') },
    { amount: money('New price'), currency },
  ),
  standard(
    'Revenue',
    'refund',
    'A refund for a prior transaction.',
    { amount: money('Amount given back'), currency },
    { order_id: text('Order that is refunded'), reason: text('Why') },
  ),
  standard(
    'Engagement',
    'search',
    'A search query.',
    { query: text('What was searched for') },
    { result_count: number('Results found'), filters: record('Active filters') },
  ),
  standard(
    'Engagement',
    'click',
    'A tracked element is clicked.',
    { element: text('Which element') },
    { selector: text('CSS selector of the element'), text: text('Text of the element') },
  ),
  standard(
    'Engagement',
    'form_submit',
    'A form is submitted.',
    { form_id: text('Which form') },
    { form_name: text('Name of the form'), field_count: number('Fields in the form') },
  ),
  standard(
    'Engagement',
    'download',
    'A file or resource is downloaded.',
    { file_url: text('Address of the file') },
    { file_type: text('Type of the file'), file_size: number('Size in bytes') },
  ),
  standard(
    'Engagement',
    'share',
    'Content is shared by a social or copy action.',
    { channel: text('Where it was shared') },
    { content_id: text('What was shared'), url: text('Address that was shared') },
  ),
  standard(
    'Retention',
    'feedback',
    'A rating, review or NPS score.',
    { score: number('The score given') },
    { comment: text('What was said'), type: text('Kind of feedback: nps, csat, review') },
  ),
  standard(
    'Retention',
    'churn',
    'A cancellation of a subscription or deletion of an account.',
    { reason: text('Why') },
    { plan: text('Plan that was left'), tenure_days: number('Days as a customer') },
  ),
]

function builtIn(key: string, description: string, required: Rules, optional: Rules): EventContract {
  return { ...contract(key, key, description, required, optional), category: 'Built-in', owner: 'assay' }
}

const pageUrl = text('Page it happened on')

/**
 * Events beyond the 18 that the product's own SDKs and endpoints send; known in every workspace without
 * registration.
 */
export const builtInEvents: readonly EventContract[] = [
  builtIn(
    'error',
    'An error in the customer’s application.',
    { message: text('What the error says') },
    {
      name: text('Class of the error'),
      stack: text('Stack trace'),
      release: text('Release of the application'),
      url: pageUrl,
      handled: flag('Whether the application caught it'),
      tags: record('Labels to group by'),
    },
  ),
  builtIn(
    'group',
    'A person joins a group, such as a company.',
    { group_id: text('Your own id of the group') },
    { traits: record('What is known of the group') },
  ),
  builtIn(
    'web_vital',
    'One Core Web Vitals reading of a page view.',
    {
      metric: text('Which reading', { enum: ['LCP', 'INP', 'CLS', 'FCP', 'TTFB', 'FID'] }),
      value: number('Milliseconds; for CLS the plain score', { minimum: 0 }),
    },
    {
      rating: text('As rated in the browser', { enum: ['good', 'needs-improvement', 'poor'] }),
      url: pageUrl,
    },
  ),
  builtIn(
    'page_leave',
    'A page was left or hidden; the times of one page view add up.',
    { duration_ms: number('How long it was in sight since it was shown', { minimum: 0 }) },
    { url: pageUrl },
  ),
  builtIn(
    'scroll_depth',
    'How far down a page was seen.',
    { percent: number('Deepest point reached', { minimum: 0, maximum: 100 }) },
    { url: pageUrl },
  ),
  builtIn(
    'rage_click',
    'One spot was clicked again and again in short time.',
    { element: text('Which element') },
    {
      selector: text('CSS selector of the element'),
      text: text('Text of the element'),
      click_count: number('Clicks in the burst', { minimum: 0 }),
      url: pageUrl,
    },
  ),
  builtIn(
    'api_call',
    'A call to your API, recorded by the middleware of the server SDK.',
    { method: text('Of HTTP'), route: text('Pattern of the address'), status: number('Of the answer') },
    { duration_ms: number('Until the answer was sent', { minimum: 0 }), url: pageUrl },
  ),
  builtIn(
    'sdk_loss',
    'Events that an SDK had to drop, counted by reason.',
    { reason: text('Why they were dropped'), count: number('How many', { minimum: 0 }) },
    { sdk: text('Name and version of the SDK') },
  ),
]

export const standardByName: ReadonlyMap<string, EventContract> = new Map(
  standardEvents.map((event) => [event.name, event]),
)
export const standardByKey: ReadonlyMap<string, EventContract> = new Map(
  standardEvents.map((event) => [event.key, event]),
)
export const builtInByName: ReadonlyMap<string, EventContract> = new Map(
  builtInEvents.map((event) => [event.name, event]),
)
