/**
 * Browsers that live inside another's user agent and that the parser library does not tell apart: in-app browsers,
 * and forks that only add a word. The first mark that is found decides, so a narrower one stands before a wider one.
 * A mark's first group, where it has one, is the version.
 */
export const browserMarks: readonly (readonly [name: string, mark: RegExp])[] = [
  ['Messenger', /FBAN\/Messenger\w*.*?FBAV\/(\d[\d.]*)|MessengerForiOS/],
  ['Instagram', /Instagram[ /](\d[\d.]*)/],
  ['Threads', /Barcelona (\d[\d.]*)/],
  ['Facebook', /FBAN\/|FBAV\/(\d[\d.]*)|FB_IAB/],
  ['Pinterest', /\[Pinterest\/|^Pinterest/],
  ['TikTok', /(?:musical_ly|BytedanceWebview|trill|TikTok)[_/ ]?(\d[\d.]*)?/],
  ['Snapchat', /Snapchat\/?(\d[\d.]*)?/],
  ['LinkedIn', /LinkedInApp(?:\/(\d[\d.]*))?/],
  ['WeChat', /MicroMessenger\/(\d[\d.]*)/],
  ['Weibo', /Weibo/],
  ['LINE', /\bLine\/(\d[\d.]*)/],
  ['KakaoTalk', /KAKAOTALK[ /](\d[\d.]*)/],
  ['Google', /\bGSA\/(\d[\d.]*)/],
  ['DuckDuckGo', /(?:DuckDuckGo|Ddg)\/(\d[\d.]*)/],
  ['UC Browser', /UC ?(?:Browser|WEB|Mobile)\/?(\d[\d.]*)|\bUBrowser\/(\d[\d.]*)/],
  ['Opera Mini', /Opera Mini\/(\d[\d.]*)|OPiOS\/(\d[\d.]*)/],
  ['QQ Browser', /M?QQBrowser(?:Lite)?\/(\d[\d.]*)/],
  ['Honor Browser', /HonorBrowser\/(\d[\d.]*)|Build\/HONOR.*\bT7\/|bdhonorbrowser\/(\d[\d.]*)/],
  ['Huawei Browser', /HuaweiBrowser\/(\d[\d.]*)/],
  ['Brave', /\bbrave\b(?:\/(\d[\d.]*))?/i],
  ['Yandex Browser', /Ya(?:Search)?Browser\/(\d[\d.]*)/],
  ['Seznam', /SznProhlizec\/(\d[\d.]*)/],
  ['Aloha', /AlohaBrowser\/(\d[\d.]*)/],
  ['Avast Secure Browser', /\bAvast\/(\d[\d.]*)/],
  ['Ecosia', /\bEcosia (?:android|ios)@(\d[\d.]*)/i],
  ['Silk', /\bSilk\/(\d[\d.]*)/],
  ['Oculus Browser', /OculusBrowser\/(\d[\d.]*)/],
  ['Dolphin', /\bDolphin[\w-]*[ /](?:INT-)?(\d[\d.]*)/],
  ['Otter', /\bOtter\/(\d[\d.]*)/],
  ['Obigo', /Obigo/],
  [
    'NetFront',
    /NetFront\/(\d[\d.]*)|\bNX\/(\d[\d.]*)|^Mozilla\/[45]\.0 \((?:PLAYSTATION|PSP|PlayStation)[^)]*\)$/,
  ],
  ['Nokia Browser', /(?:Nokia|Symbian|Series60).*(?:BrowserNG\/(\d[\d.]*)|AppleWebKit)/],
]

/** Names of the parser library that are longer or older than what people call the browser. */
export const browserNames: Readonly<Record<string, string>> = {
  'Microsoft Edge': 'Edge',
  'Samsung Internet for Android': 'Samsung Internet',
  'NAVER Whale Browser': 'Whale',
  'Android Browser': 'Android Browser',
  'Amazon Silk': 'Silk',
  'Google Search': 'Google',
  Miui: 'Mi Browser',
  'WebOS Browser': 'webOS Browser',
}
