import { readFileSync } from 'node:fs'
import { isProblemSlug, Problem, problemSlugs, problems } from '@assay/contract'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { marked } from 'marked'
import { policyHash } from '../security-headers.ts'
import { pageColorRules } from './page-colors.ts'

const docs = new URL('../../../../docs/', import.meta.url)

/** A page for each problem, at the URL in its `type`. */
export function pageRoutes(app: FastifyInstance): void {
  const pages = new Map(problemSlugs.map((slug) => [slug, renderProblem(slug)]))
  const send = (reply: FastifyReply, html: string | undefined) =>
    reply.type('text/html; charset=utf-8').header('content-security-policy', policy).send(html)
  app.get('/problems', async (_request, reply) => send(reply, problemIndex()))
  app.get<{ Params: { slug: string } }>('/problems/:slug', async (request, reply) => {
    const { slug } = request.params
    if (!isProblemSlug(slug)) throw new Problem('not-found', { detail: 'There is no problem of that name.' })
    return send(reply, pages.get(slug))
  })
}

function renderProblem(slug: string): string {
  const markdown = readFileSync(new URL(`problems/${slug}.md`, docs), 'utf8')
  return page(slug, marked.parse(markdown, { async: false }))
}

function problemIndex(): string {
  const rows = problemSlugs.map((slug) => {
    const { status, title } = problems[slug]
    return `<tr><td>${status}</td><td><a href="/problems/${slug}">${slug}</a></td><td>${title}</td></tr>`
  })
  return page('Problems', `<h1>Problems</h1><table>${rows.join('')}</table>`)
}

const style = `${pageColorRules}body{font:16px/1.6 system-ui,sans-serif;max-width:44rem;margin:3rem auto;padding:0 1rem;
color:var(--ink);background:var(--paper)}pre{background:var(--sunk);padding:1rem;overflow:auto;border-radius:8px}
code{font:14px ui-monospace,monospace}td{padding:.2rem 1rem .2rem 0}a{color:var(--accent)}`

/** Text and one style: no script runs, nothing is loaded, no framing. */
const policy = [
  "default-src 'none'",
  `style-src ${policyHash(style)}`,
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>${style}</style>
<body>${body}</body></html>`
}
