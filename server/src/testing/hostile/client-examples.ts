import { type Example, freshId } from './example.ts'

const time = '2026-07-01T00:00:00Z'
const page = 'https://shop.example/a?utm_source=news'
const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64')

const posthogEvent = {
  event: 'plan_chosen',
  uuid: `ph-${freshId}`,
  distinct_id: 'u_1',
  timestamp: time,
  offset: 10,
  properties: {
    plan: 'paid',
    distinct_id: 'u_1',
    $device_id: 'a_1',
    $user_id: 'u_1',
    $is_identified: true,
    $session_id: 's_1',
    $current_url: page,
    $referrer: 'https://news.example/',
    $screen_width: 100,
    $screen_height: 100,
    $elements: [{ tag_name: 'a', $el_text: 'Buy' }],
    $exception_list: [
      { type: 'TypeError', value: 'x', stacktrace: { frames: [{ filename: 'a.js', lineno: 1 }] } },
    ],
    $set: { plan: 'paid' },
  },
}
const mixpanelEvent = {
  event: 'Log In',
  properties: {
    token: 'x',
    distinct_id: 'u_1',
    $device_id: 'a_1',
    $insert_id: `mp-${freshId}`,
    time: 1_782_864_000,
    method: 'password',
    $current_url: page,
  },
}
const profile = { $token: 'x', $distinct_id: 'u_1', $set: { $email: 'a@shop.example', plan: 'paid' } }
const amplitudeEvent = {
  event_type: 'Sign In Completed',
  insert_id: `am-${freshId}`,
  user_id: 'u_1',
  device_id: 'a_1',
  time: 1_782_864_000_000,
  session_id: 1_782_864_000_000,
  revenue: 5,
  groups: { company: 'g_1' },
  user_properties: { $set: { plan: 'paid' } },
  event_properties: { method: 'password', '[Amplitude] Page Location': page },
}

/** What clients of other tools send. */
export const clientExamples: Readonly<Record<string, readonly Example[]>> = {
  posthogCapture: [
    { body: [posthogEvent] },
    { body: { ...posthogEvent, event: '$exception', uuid: `ph-e-${freshId}` }, as: 'secret' },
  ],
  clientBatch: [
    { body: { api_key: 'x', batch: [posthogEvent], sent_at: time, historical_migration: false } },
    { body: { api_key: 'x', events: [amplitudeEvent] } },
  ],
  posthogFlags: [{ body: { token: 'x', distinct_id: 'u_1' } }],
  posthogConfig: [{ params: { token: 'none_such' }, answers: 404 }],
  posthogConfigScript: [{ params: { token: 'none_such' }, answers: 404 }],
  rudderSourceConfig: [{ query: { p: 'android', v: '1.28.1', bv: '34' } }],
  plausibleEvent: [
    {
      body: {
        n: 'pageview',
        u: page,
        d: 'x',
        r: 'https://news.example/',
        p: { plan: 'paid' },
        $: { amount: '5.00', currency: 'EUR' },
        e: 100,
      },
    },
  ],
  umamiSend: [
    {
      body: {
        type: 'event',
        payload: {
          website: 'x',
          hostname: 'shop.example',
          url: '/a',
          referrer: 'https://news.example/',
          title: 'A',
          language: 'de-DE',
          screen: '100x100',
          name: 'login',
          data: { method: 'password' },
          id: 'u_1',
          tag: 'a',
          timestamp: 1_782_864_000,
        },
      },
    },
  ],
  ga4Collect: [
    {
      query: { measurement_id: 'G-1' },
      body: {
        client_id: 'c_1',
        user_id: 'u_1',
        timestamp_micros: 1_782_864_000_000_000,
        user_properties: { plan: { value: 'paid' } },
        events: [{ name: 'login', params: { method: 'password', page_location: page, session_id: 's_1' } }],
      },
    },
  ],
  amplitudeEvents: [{ body: { api_key: 'x', client_upload_time: time, events: [amplitudeEvent] } }],
  mixpanelTrack: [{ body: [mixpanelEvent] }],
  mixpanelTrackOne: [{ query: { data: base64([mixpanelEvent]), verbose: '1' } }],
  mixpanelEngage: [{ body: [profile] }],
  mixpanelEngageOne: [{ query: { data: base64([profile]), verbose: '1' } }],
  mixpanelImport: [{ body: [mixpanelEvent], as: 'secret' }],
  matomoTrack: [
    { body: { requests: [`?idsite=x&rec=1&url=${page}&uid=u_1`, '?e_c=a&e_a=b&e_v=5'], token_auth: 'x' } },
  ],
  matomoPixel: [
    {
      query: {
        idsite: 'x',
        url: page,
        action_name: 'A',
        uid: 'u_1',
        _id: 'a_1',
        cdt: '1782864000',
        res: '100x100',
        ec_id: `o_m`,
        revenue: '5',
        ec_items: '[["sku","Shoes","",5,1]]',
      },
    },
  ],
}
