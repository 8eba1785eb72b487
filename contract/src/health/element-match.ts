import { type Static, Type } from 'typebox'
import { lookupProblems } from '../problems.ts'
import { route } from '../route.ts'
import { OneOf } from '../shapes.ts'

/** What a visitor does with the element; `view` needs no element, since a page can be viewed too. */
const matchActions = ['click', 'submit', 'view'] as const

/** Defines an event without code by an element on a page. The browser SDK watches it and sends the event. */
export const ElementMatch = Type.Object(
  {
    page: Type.String({
      minLength: 1,
      maxLength: 500,
      pattern: '^/',
      description:
        'Path of the page, without query; * stands for any characters, so /products/* is every product',
    }),
    selector: Type.Optional(
      Type.String({ minLength: 1, maxLength: 500, description: 'CSS selector of the element' }),
    ),
    text: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Text that the element shows, compared after runs of white space are made one space',
      }),
    ),
    on: OneOf(matchActions, {
      description: 'view is sent once a page view, when the element, or without one the page, is seen',
    }),
  },
  {
    additionalProperties: false,
    description: 'With selector and text both must fit; without either only view is possible',
  },
)
export type ElementMatch = Static<typeof ElementMatch>

/** The browser checks all of them on every click, and loads them with every page. */
export const elementMatchesMax = 200

/** What the browser SDK does on a site besides its built-in signals. */
export const SdkConfig = Type.Object({
  site_id: Type.String(),
  definitions: Type.Array(Type.Object({ event: Type.String(), match: ElementMatch }), {
    description: 'Published definitions that come from an element, by name',
  }),
})
export type SdkConfig = Static<typeof SdkConfig>

export const sdkConfig = route({
  id: 'sdkConfig',
  method: 'GET',
  path: '/v1/sdk/config',
  plane: 'data',
  access: 'send',
  scope: 'events:send',
  rate: 'none',
  tag: 'SDK',
  summary: 'What the browser SDK does on a site without code',
  description:
    'For the site of the key. Answers with an ETag and may be kept for five minutes; If-None-Match then gives 304.',
  query: Type.Object(
    {
      site_id: Type.Optional(
        Type.String({
          maxLength: 64,
          description: 'For a key that is bound to no site; default is the first',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  success: { status: 200, body: SdkConfig },
  problems: lookupProblems,
})

export const sdkRoutes = [sdkConfig] as const
