export type Device = 'desktop' | 'mobile' | 'tablet' | 'tv' | 'bot' | 'other'

/**
 * Browsers whose user agent contains another's and that the parser library does not distinguish: in-app
 * browsers, and forks that only add a word. The first match wins, so narrower marks come first. A mark's
 * first group, if any, is the version.
 */
export const browserMarks: readonly (readonly [name: string, mark: RegExp])[] = [
  ['Messenger', /FBAN\/Messenger/],
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
  ['Opera Mini', /Opera Mini(?:\/(\d[\d.]*))?|OPiOS\/(\d[\d.]*)/],
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

/** Names of the parser library that differ from what people call the browser. */
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

/** Systems that identify as another one, by the name that we store. */
export const systemMarks: readonly (readonly [os: string, mark: RegExp])[] = [
  // On an iPad browsers request desktop pages by naming a Mac; only their own names reveal the iPad.
  ['iOS', /\b(?:CriOS|FxiOS|EdgiOS|OPiOS)\//],
  ['Chrome OS', /\bCrOS\b/],
  ['webOS', /\bWeb0S\b|\bwebOS\b|hpwOS/],
  ['Fire OS', /\bAFT[A-Z]\w*\b|\bFire TV\b/],
  ['KaiOS', /\bKAIOS\//],
  ['HarmonyOS', /HarmonyOS|OpenHarmony/],
]

/** Where the parser library finds no system: old or short ways to name one. */
export const systemFallbacks: readonly (readonly [os: string, mark: RegExp])[] = [
  ['Android', /\bAdr \d/],
  ['iOS', /\biOS\b|\biP[hd] OS\b/],
  ['Windows', /\bWindows\b|\bWindowsCE\b|\bWin(?:NT|16|32|95|98|3\.1)|\bWin 9x\b/],
  // Apple's network library names the kernel; a processor after it means a Mac.
  ['macOS', /\bMac OS X\b|Darwin\/.*(?:x86_64|i386)/],
  ['iOS', /CFNetwork\/.*Darwin\//],
]

/** Hardware that identifies as a desktop or a phone. Consoles count as televisions, except handheld ones. */
export const deviceMarks: readonly (readonly [device: Device, mark: RegExp])[] = [
  [
    'mobile',
    /PlayStation (?:Vita|Portable)|\bPSP\b|Nintendo (?:3DS|DS)|Opera Mini|Opera Mobi|J2ME|BREW|Symbian|KAIOS/i,
  ],
  ['tablet', /Macintosh.*\b(?:CriOS|FxiOS|EdgiOS)\//],
  ['other', /OculusBrowser|\bQuest \d|Watch ?OS/i],
  [
    'tv',
    /\bsmart-?tv\b|googletv|\bapple ?tv\b|hbbtv|bravia|\bAFT[A-Z]\w*\b|\broku\b|\bcrkey\b|viera|netcast|web0s/i,
  ],
  ['tv', /\bandroid tv\b|playstation|\bxbox\b|nintendo/i],
]
