/** What is left after a charge, for the headers of every response. */
export type Allowance = { limit: number; remaining: number; resetSeconds: number }

export function allowanceHeaders({ limit, remaining, resetSeconds }: Allowance): Record<string, string> {
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(resetSeconds),
  }
}
