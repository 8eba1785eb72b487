import { expect, test } from 'vitest'
import { deviceOfType, type SurfaceFacts, surfaceOf } from './surface.ts'

const nothing: SurfaceFacts = {
  credential: 'public',
  libraryName: '',
  osName: '',
  deviceType: '',
  hasPage: () => false,
  hasApp: false,
}

test.each([
  ['analytics.js', 'web'],
  ['assay-browser', 'web'],
  ['RudderLabs JavaScript SDK', 'web'],
  ['analytics-ios', 'ios'],
  ['analytics-swift', 'ios'],
  ['analytics-android', 'android'],
  ['analytics-kotlin', 'android'],
  ['analytics-node', 'server'],
  ['@segment/analytics-node', 'server'],
  ['analytics-python', 'server'],
  ['analytics-ruby', 'server'],
  ['analytics-go', 'server'],
  ['assay-server', 'server'],
])('the library %s runs on %s, whatever the key', (libraryName, surface) => {
  expect(surfaceOf({ ...nothing, libraryName })).toBe(surface)
  expect(surfaceOf({ ...nothing, libraryName, credential: 'secret' })).toBe(surface)
})

test('a library for several systems leaves it to the device', () => {
  const flutter = { ...nothing, libraryName: 'flutter', hasApp: true }
  expect(surfaceOf({ ...flutter, osName: 'iOS' })).toBe('ios')
  expect(surfaceOf({ ...flutter, osName: 'iPadOS' })).toBe('ios')
  expect(surfaceOf({ ...flutter, osName: 'Android' })).toBe('android')
  expect(surfaceOf({ ...flutter, osName: 'Windows' })).toBe('web')
})

test('a library for Java with a public key runs on the phone that it names', () => {
  const java = { ...nothing, libraryName: 'assay-java', hasApp: true }
  expect(surfaceOf({ ...java, osName: 'Android' })).toBe('android')
  expect(surfaceOf({ ...java, osName: 'Linux' })).toBe('server')
  expect(surfaceOf({ ...java, osName: 'Android', credential: 'secret' })).toBe('server')
})

test('a phone that shows a web page is the web', () => {
  expect(surfaceOf({ ...nothing, osName: 'iOS', deviceType: 'ios', hasPage: () => true, hasApp: true })).toBe(
    'web',
  )
  expect(surfaceOf({ ...nothing, osName: 'Android' })).toBe('web')
})

test('without any hint the key decides', () => {
  expect(surfaceOf(nothing)).toBe('web')
  expect(surfaceOf({ ...nothing, credential: 'secret' })).toBe('server')
})

test.each([
  ['Tablet', 'tablet'],
  ['android', 'mobile'],
  ['smarttv', 'tv'],
  ['desktop', 'desktop'],
  ['fridge', ''],
  ['', ''],
])('the device type %j means %j', (type, device) => {
  expect(deviceOfType(type)).toBe(device)
})
