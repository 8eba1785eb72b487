import { Type } from 'typebox'
import { formatQuery } from '../reads.ts'
import { route } from '../route.ts'
import { shared } from './access.ts'
import { Answer } from './answer.ts'
import { Question } from './question.ts'
import { questionTextCharactersMax } from './question-limits.ts'
import { listDimensions, listValues } from './suggestions.ts'

const answerSays =
  'Filters choose visits: those with an event that fits all of them. A row has the events of these visits with its ' +
  'values; visits and people are counted in every row in which they have one. Totals are over everything. A question ' +
  'that takes more than 10 s is refused.'

export const runQuery = route({
  ...shared,
  id: 'runQuery',
  fresh: 'camel',
  method: 'POST',
  path: '/api/analytics/query',
  summary: 'Ask a question about events',
  description: answerSays,
  body: Type.Object({ ...Question.properties, ...formatQuery }, { additionalProperties: false }),
  csv: true,
  success: { status: 200, body: Answer },
})

export const getQuery = route({
  ...shared,
  id: 'getQuery',
  fresh: 'camel',
  method: 'GET',
  path: '/api/analytics/query',
  summary: 'Ask a question by its address',
  description: `The same with the question as JSON in \`q\`. ${answerSays}`,
  query: Type.Object(
    {
      q: Type.String({ maxLength: questionTextCharactersMax, description: 'The question as JSON' }),
      ...formatQuery,
    },
    { additionalProperties: false },
  ),
  csv: true,
  success: { status: 200, body: Answer },
})

export const questionRoutes = [runQuery, getQuery, listDimensions, listValues] as const
