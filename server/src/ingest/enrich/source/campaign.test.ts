import { expect, test } from 'vitest'
import { campaignOfMembers, campaignOfProperties, campaignOfQuery, noCampaign } from './campaign.ts'
import { clickIdNames } from './click-ids.ts'

test('UTM fields are kept as they were sent', () => {
  const query =
    'utm_source=Google&utm_medium=CPC&utm_campaign=Spring+Sale&utm_term=shoes%20blue&utm_content=B'
  expect(campaignOfQuery(query).utm).toEqual({
    source: 'Google',
    medium: 'CPC',
    campaign: 'Spring Sale',
    term: 'shoes blue',
    content: 'B',
  })
})

test('the name of a field may be in any case, and the first value that is not empty counts', () => {
  expect(campaignOfQuery('UTM_Source=&utm_source=%20&utm_source=b&utm_source=c').utm.source).toBe('b')
})

test.each(clickIdNames)('a click id %s is found', (name) => {
  expect(campaignOfQuery(`a=1&${name}=Value`)).toMatchObject({ clickIdType: name, clickId: 'Value' })
  expect(campaignOfMembers({ [name]: 'Value' })).toMatchObject({ clickIdType: name, clickId: 'Value' })
})

test('a paid click id goes before the one that Facebook adds to every link', () => {
  expect(campaignOfQuery('fbclid=a&gclid=b').clickIdType).toBe('gclid')
})

test('the context names the same fields without prefix', () => {
  expect(
    campaignOfMembers({ name: 'May', source: 'news', medium: 'email', term: 't', content: 7 }).utm,
  ).toEqual({
    source: 'news',
    medium: 'email',
    campaign: 'May',
    term: 't',
    content: '7',
  })
})

test('properties are only read under their prefixed names, since the plain ones are the customer’s', () => {
  expect(campaignOfProperties({ source: 'import', name: 'Jane', medium: 'oil' })).toBe(noCampaign)
  expect(campaignOfProperties({ utm_campaign: 'May', utm_term: 't' }).utm).toMatchObject({
    campaign: 'May',
    term: 't',
  })
})

test('nothing that names a campaign is no campaign', () => {
  expect(campaignOfQuery('')).toBe(noCampaign)
  expect(campaignOfQuery('a=1&b=2&gclid=')).toBe(noCampaign)
  expect(campaignOfMembers({ source: {}, name: null, gclid: [] })).toBe(noCampaign)
})

test('a click id of any length is cut to 512 characters', () => {
  expect(campaignOfQuery(`gclid=${'a'.repeat(600)}`).clickId).toHaveLength(512)
})
