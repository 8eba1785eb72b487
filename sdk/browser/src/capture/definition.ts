/**
 * An event defined in the dashboard and not in the page's code: what happens to which element, and where.
 * Mirrors the contract's `SdkConfig`, whose file needs a newer language target; a test compares both.
 */
export type Definition = {
  event: string
  match: { page: string; selector?: string; text?: string; on: 'click' | 'submit' | 'view' }
}
