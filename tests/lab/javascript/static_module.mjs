// A module of the page, from the folder that test_javascript.py names.
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export const staticModule = (name) => import(pathToFileURL(join(process.env.ROSENBLATT_STATIC, `${name}.js`)));
