import { Type } from 'typebox'
import { environments } from '../credentials.ts'
import { lookupProblems } from '../problems.ts'
import { route } from '../route.ts'
import { OneOf } from '../shapes.ts'
import { reads } from './access.ts'
import { Key } from './contracts/contract-fields.ts'
import { surfaces } from './event-contract.ts'

export const codeLanguages = ['typescript', 'python', 'swift'] as const
export type CodeLanguage = (typeof codeLanguages)[number]

export const generateCode = route({
  ...reads,
  id: 'generateCode',
  method: 'GET',
  path: '/v1/registry/code-gen',
  summary: 'Typed bindings for an environment',
  description:
    'Deterministic: standard events and the live contracts; for staging and development also drafts, marked as ' +
    'such, in place of the version that they are to follow. surface leaves out events that are not sent from there. ' +
    'The ETag changes when a file would; If-None-Match answers 304. With key only that event, at its newest version, ' +
    'drafts included.',
  query: Type.Object(
    {
      language: OneOf(codeLanguages),
      environment: Type.Optional(OneOf(environments, { default: 'production' })),
      surface: Type.Optional(OneOf(surfaces)),
      key: Type.Optional(Key),
    },
    { additionalProperties: false },
  ),
  success: {
    status: 200,
    body: Type.Object({
      registry_hash: Type.String(),
      files: Type.Array(Type.Object({ path: Type.String(), content: Type.String(), sha256: Type.String() })),
    }),
  },
  problems: lookupProblems,
})
