import { accountEn } from './account-en.ts'
import { browseEn } from './browse-en.ts'
import { deskEn } from './desk-en.ts'
import { kindsEn } from './kinds-en.ts'
import { entryEn } from './entry-en.ts'
import { duration } from './duration.ts'
import { guideEn } from './guide-en.ts'
import { importEn } from './import-en.ts'
import { consoleEn } from './console-en.ts'
import { libraryEn } from './library-en.ts'
import { profileEn } from './profile-en.ts'
import { signUpEn } from './sign-up-en.ts'
import { html, type Html } from '../html.ts'

/** The words of the pages, a group for each page. This catalogue decides what the others must have. */
export const en = {
  ...accountEn,
  ...signUpEn,
  ...browseEn,
  ...consoleEn,
  ...libraryEn,
  ...importEn,
  ...profileEn,
  ...guideEn,
  ...entryEn,
  ...deskEn,
  ...kindsEn,
  /** Completes both "it may …" and "it will not be able to …". */
  scopes: {
    openid: 'Recognise you when you come back',
    profile: 'See your name and picture',
    email: 'See your email address',
    offline_access: 'Keep its access while you are away',
    'catalog:read': 'Read the catalog',
    'catalog:full': 'Read the whole catalog, works for adults included',
    'catalog:sync': 'Follow the changes of the catalog',
    'user:read': 'See your account: name, picture and what you wrote about yourself',
    'status:read': 'See your ratings and what you have read and played',
    'status:write': 'See and change your ratings and what you have read and played',
    'collection:read': 'See your collections',
    'collection:write': 'See and change your collections',
    'developer:apps': 'See and change the apps you have registered',
  },
  /** What an app does not get of a scope that holds a smaller one, which it may well get. */
  withheldScopes: {
    'user:read': 'See what you wrote about yourself',
    'status:write': 'Change your ratings and what you have read and played',
    'collection:write': 'Change your collections',
  },
  signIn: {
    title: 'Sign in',
    toContinueTo: (app: string) => `to continue to ${app}`,
    /** Reasons to sign in, shown on the sign-in page. */
    reasons: {
      draft: 'You were signed out. Your text is saved. Sign in to continue where you left off.',
      record: 'Sign in to add this to your list.',
      library: 'Sign in to see your list.',
      import: 'Sign in to import your list.',
      collections: 'Sign in to see your collections.',
      report: 'Sign in to report a problem.',
      console: 'Sign in to manage your apps.',
    },
    email: 'Email address',
    password: 'Password',
    submit: 'Sign in',
    passkey: 'Sign in with a passkey',
    or: 'or',
    forgotten: 'Forgotten your password?',
    newHere: 'New here?',
    signUp: 'Create an account',
    backTo: (app: string) => `Back to ${app}`,
    back: 'Back to the app',
    wrong:
      'That email address and password do not belong together. Just signed up? Follow the link in your mail first.',
    banned: 'This account has been banned.',
    wait: (seconds: number) => `There were too many attempts. Try again in ${duration.en(seconds)}.`,
    passkeyWrong: 'That passkey could not be used here. Try again, or sign in with your password.',
  },
  secondFactor: {
    title: 'One more step',
    text: 'Enter the six digits that your authenticator app shows now.',
    code: 'Code',
    submit: 'Sign in',
    passkey: 'Use a passkey instead',
    wrong: 'That code is not right, or was used before. Wait for the next one and try again.',
    wait: (seconds: number) => `There were too many attempts. Try again in ${duration.en(seconds)}.`,
    trust: 'Do not ask for the code in this browser for 30 days',
    lost: 'I have lost my phone',
    lostText:
      'Enter one of the recovery codes you got when you set up the authenticator app. Each works once.',
    recoveryCode: 'Recovery code',
    wrongRecovery: 'That is none of your recovery codes, or it was used before.',
    lostAll:
      'You have no code left either? A passkey still lets you in. Else write to the operator of this service: nobody is let in by mail alone.',
    contact: 'Where to write:',
  },
  keepAccount: {
    title: 'Keep your account?',
    text: (name: string, day: string) =>
      `Welcome back, ${name}. Your account is to be deleted on ${day}. If you keep it, your ratings, reviews and collections are there again; apps you had allowed have to ask you anew.`,
    keep: 'Keep my account',
    leave: 'Let it be deleted',
  },
  notMe: {
    title: 'Was this not you?',
    text: 'Then we sign you out everywhere, your old password stops working, and you choose a new one on the next page.',
    submit: 'It was not me',
    wasMe: 'It was you after all? Then close this page; nothing has changed.',
    textPutBack: (email: string) =>
      `Then ${email} is the address of your account again, everybody is signed out, and the old password stops working. We send a mail to ${email} to choose a new one.`,
    goes: (since: Html) => html`This was added since ${since}, and goes:`,
    authenticator: 'The authenticator app',
    passkey: 'The passkey',
    codes: 'The recovery codes',
    app: 'What was allowed the app',
    registered: 'Your own app, which is disabled:',
    changed:
      'These older apps of yours were changed since. They stay as they are; look at their addresses and replace their secrets in the developer console afterwards:',
    stays: (since: Html) =>
      html`Passkeys, authenticator apps and apps from before ${since} stay. If one of those is not yours, open the mail that told you when it was added.`,
    takenTitle: 'The address is in use',
    taken: (email: string) =>
      `${email} is the address of another account by now, so it cannot be put back. Sign in to that account, give it another address, and open this link again. Nothing has changed so far.`,
    doneTitle: 'Your address is back',
    done: (email: string) => `The address of your account is ${email} again, and everybody is signed out.`,
    doneNext:
      'Follow the link in the mail that we have sent there to choose a new password. It works for 30 minutes; afterwards “Forgotten password” sends another.',
  },
  chooseAccount: {
    title: 'Choose an account',
    toContinueTo: (app: string) => `to continue to ${app}`,
    other: 'Use another account',
    cancel: 'Cancel',
  },
  consent: {
    title: (app: string) => `Allow ${app}?`,
    asks: (app: string) => `${app} asks for access to your mokuroku account.`,
    website: 'Website',
    sendsTo: 'Takes you to',
    publicApp:
      'This app runs on your device or in your browser, so we cannot check that it is really the one it says it is.',
    willBeAble: 'It will be able to',
    wontBeAble: 'It will not be able to',
    already: 'allowed before',
    nothing: 'It asks for nothing more than you have allowed before.',
    password: 'See your password',
    offline: (day: string, days: number) =>
      `It keeps this access until ${day}, or until it has not used it for ${days} days.`,
    takeBack: 'You can remove its access at any time on your account page.',
    allow: 'Allow',
    deny: 'Do not allow',
    thisSite: 'Back to this site itself',
    thisDevice: 'Back to a program on this device',
    developer: 'Developer',
    developerSince: (day: string) => `here since ${day}`,
    inUse: 'In use',
    readers: (amount: number) =>
      amount === 0 ? 'not yet' : amount === 1 ? 'by 1 reader' : `by ${amount} readers`,
    appSince: (day: string) => `registered on ${day}`,
    needs: (app: string) => `${app} does not work without what is marked as needed.`,
    needed: 'needed',
    choose: 'Clear what you do not want to share. The app has to work without it.',
    changes: 'can change',
    groups: {
      profile: 'Profile',
      ratings: 'Ratings',
      collections: 'Collections',
      catalog: 'Catalog',
      apps: 'Apps',
      access: 'Duration',
    },
    privacy: 'Privacy',
    terms: 'Terms',
  },
  device: {
    title: 'Connect a device',
    enterCode: 'Enter the code that your device shows.',
    code: 'Code',
    next: 'Continue',
    confirmTitle: 'Is this your device?',
    confirmText: (app: string) =>
      `${app} wants to connect. Continue only if your device shows this very code:`,
    warning: 'If someone sent you this code, do not continue: it is a scam.',
    /** Address and time of the device's request. */
    askedFrom: 'Asked from',
    askedAt: 'Asked at',
    confirm: 'Yes, continue',
    abort: 'No, stop',
    doneTitle: 'Device connected',
    done: 'You can close this page and go back to your device.',
    wrongCode:
      'That code is wrong, was used before or is too old. Check it, or have your device show a new one.',
    aborted: 'Stopped. The device was not connected.',
  },
  signOut: {
    title: 'Sign out?',
    asks: (app: string) => `${app} asks whether you want to sign out of mokuroku as well.`,
    question: 'Do you want to sign out of mokuroku in this browser?',
    yes: 'Sign out',
    no: 'Stay signed in',
    doneTitle: 'Signed out',
    done: 'You are signed out in this browser. You can close this page.',
    again: 'Sign in again',
  },
  continuing: {
    title: 'One moment',
    text: 'You are being taken on. If nothing happens, press the button.',
    submit: 'Continue',
  },
  forms: {
    draft: {
      title: 'Back to your text',
      text: 'You are signed in again, and your text is safe. Nothing is published until you save it.',
      submit: 'Continue writing',
    },
    conflict:
      'This was changed in another tab or app after you opened the page, so nothing was saved. Your version is still in the form. Save again to overwrite the current values:',
    empty: '(empty)',
    otherAccount:
      'You are now signed in to a different account, so nothing was changed. Reload the page and try again.',
  },
  error: {
    title: 'That did not work',
    /** Before the title of a page whose form was refused. */
    inTitle: 'Error: ',
    received: (name: string) => `What we received as ${name}:`,
    requestId: 'If you ask for help, give this number:',
    forgedForm: (address: string) =>
      `We could not be sure that this form came from you. Open ${address}, and try again there. Cookies have to be allowed.`,
    unreadable: 'Something that was sent cannot be read. Go back, check what you entered and try again.',
    tooLarge: 'What was sent is too long. Go back, shorten it and try again.',
    again: 'Try again',
    /** Around the seconds that are left. */
    wait: ['Try again in ', ' seconds.'],
    ready: 'You can try again now.',
    tooManyTitle: 'A little slower, please',
    tooMany: 'That was a little too much within a minute.',
    unavailableTitle: 'Back in a moment',
    unavailable: 'The service is briefly unavailable. Try again in a moment.',
    refused: 'You may not do this.',
    notFoundTitle: 'Page not found',
    notFound: 'The address may be wrong, or the page no longer exists.',
    unexpected: 'Something went wrong on our side. It has been logged; try again later.',
    missingParameter: (names: string) =>
      `The app’s request lacks ${names}. Go back to it, or tell its developer.`,
    doubledParameter: (names: string) =>
      `The app’s request has ${names} twice. Go back to it, or tell its developer.`,
    badRequest: 'The app sent a request that we do not understand. Go back to it, or tell its developer.',
    forDevelopers: 'For its developer:',
    invalidRedirectUri:
      'The app asked to send you to an address it has not registered, so we stopped here. Tell its developer; a registered address must match to the letter.',
    unknownApp: 'We do not know this app, or it has been switched off. Go back to it, or tell its developer.',
    expired:
      'This is done already, has taken too long, or was begun in another browser. Go back to the app and start again.',
  },
}

export type Messages = typeof en
