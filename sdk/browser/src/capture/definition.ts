/**
 * An event that was defined in the product and not in the page's code: what happens to which element, and where.
 * The same as in the contract's `SdkConfig`, which a test compares: its file needs a newer language than this one.
 */
export type Definition = {
  event: string
  match: { page: string; selector?: string; text?: string; on: 'click' | 'submit' | 'view' }
}
