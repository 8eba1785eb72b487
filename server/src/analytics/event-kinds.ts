export const conversionEvents = "('$purchase', '$subscribe', '$signup')"
/** Automatic events do not show whether a visitor did a second thing. */
export const passiveEvents =
  "('$session_start', '$session_end', 'web_vital', 'page_leave', 'scroll_depth', 'sdk_loss')"
/** $refund subtracts money; every other event with revenue adds it. */
export const revenueEvents = "('$purchase', '$subscribe', '$refund')"
export const signedAmount = "if(name = '$refund', -amount, amount)"
