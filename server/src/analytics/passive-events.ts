/** Automatic events do not show whether a visitor did a second thing. */
export const passiveEvents =
  "('$session_start', '$session_end', 'web_vital', 'page_leave', 'scroll_depth', 'sdk_loss')"
