import Bowser from 'bowser'
import type { FastifyRequest } from 'fastify'

/** Device and country of a sign-in, in words; the address is used and not stored. */
export type Device = { device: string; country: string }

export type DeviceOf = (request: FastifyRequest) => Device

/** Longer product names than this are made up. */
const wordsMax = 60

/** Browser and system; else the first word that the caller says of itself, such as `curl`. */
export function describeAgent(userAgent: string): string {
  if (userAgent.trim() === '') return 'an unknown device'
  const { browser, os } = Bowser.parse(userAgent)
  if (browser.name === undefined || browser.name === '') {
    return /^[\w.-]{1,40}/.exec(userAgent)?.[0] ?? 'an unknown device'
  }
  return (os.name === undefined ? browser.name : `${browser.name} on ${os.name}`).slice(0, wordsMax)
}
