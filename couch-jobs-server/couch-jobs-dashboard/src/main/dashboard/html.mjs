// What every module that renders needs.

import { Fragment, h, render } from './libraries/preact.mjs';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from './libraries/preact-hooks.mjs';
import htm from './libraries/htm.mjs';

export const html = htm.bind(h);
export { Fragment, render, useEffect, useLayoutEffect, useMemo, useRef, useState };
