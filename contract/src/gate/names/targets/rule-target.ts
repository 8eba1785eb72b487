import type { RuleOrigin } from '../mapping.ts'

type Names = Readonly<Partial<Record<Exclude<RuleOrigin, 'custom'>, readonly string[]>>>
/** Canonical property → other names with exactly that meaning, the most precise first. */
export type Synonyms = Readonly<Record<string, readonly string[]>>

/**
 * A standard event, and what other tools call it. A name belongs to the tool that introduced it. A synonym is listed
 * only if it can mean nothing else: `url` is not a synonym of `file_url`, because at /api/ingest it is the page.
 */
export type RuleTarget = { target: string; names: Names; synonyms: Synonyms }

/** Several targets have a plan. */
export const planNames = ['plan_name', 'plan_id', 'planName', 'tier', 'Plan']
