import { ConfigError, type Env, readSafeUrl } from './environment.ts'

export type ProviderConfig = { issuer: string; clientId: string; clientSecret: string }

export type OauthConfig = {
  google: ProviderConfig | undefined
  github: (ProviderConfig & { apiUrl: string }) | undefined
  /** Exact redirect URIs of OAuth clients. */
  redirectUris: readonly string[]
}

export function readOauth(env: Env): OauthConfig {
  const google = readProvider(env, {
    issuer: 'ASSAY_OAUTH_GOOGLE_ISSUER',
    clientId: 'ASSAY_OAUTH_GOOGLE_CLIENT_ID',
    clientSecret: 'ASSAY_OAUTH_GOOGLE_CLIENT_SECRET',
    usual: 'https://accounts.google.com',
  })
  const github = readProvider(env, {
    issuer: 'ASSAY_OAUTH_GITHUB_ISSUER',
    clientId: 'ASSAY_OAUTH_GITHUB_CLIENT_ID',
    clientSecret: 'ASSAY_OAUTH_GITHUB_CLIENT_SECRET',
    usual: 'https://github.com',
  })
  const apiUrl = readSafeUrl(env, 'ASSAY_OAUTH_GITHUB_API_URL') ?? 'https://api.github.com'
  const redirectUris = (env.ASSAY_OAUTH_REDIRECT_URIS ?? '').split(/[\s,]+/).filter((uri) => uri !== '')
  const unreadable = redirectUris.find((uri) => !URL.canParse(uri))
  if (unreadable !== undefined) {
    throw new ConfigError(`ASSAY_OAUTH_REDIRECT_URIS must be addresses, and "${unreadable}" is none.`)
  }
  return { google, github: github && { ...github, apiUrl }, redirectUris }
}

type ProviderNames = { issuer: string; clientId: string; clientSecret: string; usual: string }

function readProvider(env: Env, names: ProviderNames): ProviderConfig | undefined {
  const [clientId, clientSecret] = [env[names.clientId] ?? '', env[names.clientSecret] ?? '']
  const issuer = readSafeUrl(env, names.issuer) ?? names.usual
  if (clientId === '' && clientSecret === '') return undefined
  if (clientId !== '' && clientSecret !== '') return { issuer, clientId, clientSecret }
  throw new ConfigError(`${names.clientId} and ${names.clientSecret} belong together: set both or neither.`)
}
