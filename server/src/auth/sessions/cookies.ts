import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply } from 'fastify'
import { accessCookie, readCookie } from '../../http/access/person.ts'
import { type SessionTokens, sessionSeconds } from './sessions.ts'

const refreshPath = '/v1/auth/session'
const oauthPath = '/v1/auth/oauth'
/** As long as a sign-in at a provider may take. */
const oauthSeconds = 10 * 60

type Cookie = { name: string; value: string; path: string; seconds: number }

/** Not for scripts; not with requests that other sites' pages make, save when a link is followed. */
function write(reply: FastifyReply, isSecure: boolean, cookies: readonly Cookie[]): void {
  const lines = cookies.map(
    ({ name, value, path, seconds }) =>
      `${name}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`,
  )
  reply.header('set-cookie', lines)
}

/** Browsers take a name that begins so over TLS only; `__Host-` would not do, since it allows no path. */
const secureName = (name: string, isSecure: boolean) => `${isSecure ? '__Secure-' : ''}assay_${name}`

export function giveSessionCookies(reply: FastifyReply, isSecure: boolean, tokens: SessionTokens): void {
  const { accessToken, accessSeconds, refreshToken } = tokens
  write(reply, isSecure, [
    { name: accessCookie(isSecure), value: accessToken, path: '/', seconds: accessSeconds },
    {
      name: secureName('refresh', isSecure),
      value: refreshToken,
      path: refreshPath,
      seconds: sessionSeconds,
    },
  ])
}

export function takeSessionCookies(reply: FastifyReply, isSecure: boolean): void {
  write(reply, isSecure, [
    { name: accessCookie(isSecure), value: '', path: '/', seconds: 0 },
    { name: secureName('refresh', isSecure), value: '', path: refreshPath, seconds: 0 },
  ])
}

export function readRefreshCookie(headers: IncomingHttpHeaders, isSecure: boolean): string | null {
  return readCookie(headers, secureName('refresh', isSecure))
}

export function giveStateCookie(reply: FastifyReply, isSecure: boolean, state: string): void {
  write(reply, isSecure, [
    { name: secureName('oauth', isSecure), value: state, path: oauthPath, seconds: oauthSeconds },
  ])
}

export function readStateCookie(headers: IncomingHttpHeaders, isSecure: boolean): string | null {
  return readCookie(headers, secureName('oauth', isSecure))
}
