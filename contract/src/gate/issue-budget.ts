import { fewerIssues, type Issue, issueCharacters } from './issues.ts'

/** Characters for all issues of one answer, in addition to the size of the request. */
const answerIssueCharactersBase = 64 * 1024

/**
 * Divides the space for issues among the results of one answer, so that a small request with many faults does
 * not get a large answer. An event with few issues leaves more to the later ones.
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
