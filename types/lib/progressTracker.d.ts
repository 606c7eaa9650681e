import { track } from '..'

export = track
