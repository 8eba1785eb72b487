import { fewerIssues, type Issue, issueCharacters } from './issues.ts'

/** What all issues of one answer may take, beside as much as the request itself had. */
export const answerIssueCharactersBase = 64 * 1024

/**
 * Shares the room for issues among the results of one answer, so that a small request of many faults does not make a
 * large answer. An event with few leaves more to those behind it.
 */
export function boundIssues<Result extends { issues: readonly Issue[] }>(
  results: readonly Result[],
  requestCharacters: number,
): Result[] {
  let left = answerIssueCharactersBase + requestCharacters
  return results.map((result, index) => {
    if (result.issues.length === 0) return result
    const issues = fewerIssues(result.issues, left / (results.length - index))
    left = Math.max(0, left - issueCharacters(issues))
    return issues === result.issues ? result : { ...result, issues }
  })
}
