import { expect, test } from 'vitest'
import { builtInEvents, standardByKey, standardByName, standardEvents } from './catalog.ts'

/** The catalog as printed in the specification: category, event, required, optional. */
const specified = `
Core | pageview | url string, title string | referrer string, duration_ms number
Core | session_start | session_id string | landing_page string, utm_source string
Core | session_end | session_id string, duration_ms number | page_count number
Core | identify | user_id string | email string, name string, plan string
Acquisition | signup | method string | referral_code string, plan string
Acquisition | login | method string | two_factor boolean
Acquisition | invite | channel string | invite_code string
Revenue | purchase | amount number, currency string | order_id string, items array, coupon string
Revenue | subscribe | plan string, amount number, currency string | interval string, trial boolean
Revenue | upgrade | from_plan string, to_plan string | amount number, currency string
Revenue | refund | amount number, currency string | order_id string, reason string
Engagement | search | query string | result_count number, filters object
Engagement | click | element string | selector string, text string
Engagement | form_submit | form_id string | form_name string, field_count number
Engagement | download | file_url string | file_type string, file_size number
Engagement | share | channel string | content_id string, url string
Retention | feedback | score number | comment string, type string
Retention | churn | reason string | plan string, tenure_days number
`

test('the catalog holds the 18 events of the specification, property by property and no other', () => {
  const printed = standardEvents.map((event) => {
    const shapes = Object.entries(event.properties)
    const list = (isRequired: boolean) =>
      shapes
        .filter(([, rule]) => (rule.required === true) === isRequired)
        .map(([name, rule]) => `${name} ${rule.type}`)
        .join(', ')
    return `${event.category} | ${event.key} | ${list(true)} | ${list(false)}`
  })
  expect(printed.join('\n')).toBe(specified.trim())
})

test('every standard event is published, open to more properties and found by name and by key', () => {
  for (const event of standardEvents) {
    expect(event).toMatchObject({ status: 'published', version: '1-0-0', additional: 'accept' })
    expect(event.purpose).toBe('analytics_storage')
    expect(event.name).toBe(`$${event.key}`)
    expect(standardByName.get(event.name)).toBe(event)
    expect(standardByKey.get(event.key)).toBe(event)
  }
})

test('no built-in event begins with $ or takes the key of a standard one', () => {
  for (const event of builtInEvents) {
    expect(event.name).toMatch(/^[a-z0-9_]+$/)
    expect(standardByKey.has(event.key)).toBe(false)
  }
})
