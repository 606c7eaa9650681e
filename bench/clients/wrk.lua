-- Adds what wrk's command line doesn't support. Arguments: METHOD PIPELINING BODY_FILE hooks|"" verify|""
--
-- wrk calls a global `request` for each request and copies each head and body for a global `response`, so each
-- of them exists only if a scenario needs it.

local function use_pipelining(count)
  local batch = wrk.format():rep(count)
  request = function() return batch end
end

local function use_hooks()
  local number = 0
  request = function()
    number = number + 1
    return wrk.format("GET", "/?number=" .. number)
  end
  response = function(status, headers, body)
    if body:sub(-6) ~= "world!" then error("another body: " .. body) end
  end
end

local function use_verify()
  response = function(status, headers, body)
    if body ~= "Hello, world!" then error("another body: " .. body) end
  end
end

local function read_all(name)
  local file = assert(io.open(name, "rb"))
  local bytes = file:read("*a")
  file:close()
  return bytes
end

function init(arguments)
  local pipelining = tonumber(arguments[2])
  wrk.method = arguments[1]
  if arguments[3] ~= "" then wrk.body = read_all(arguments[3]) end
  if pipelining > 1 then use_pipelining(pipelining) end
  if arguments[4] == "hooks" then use_hooks() end
  if arguments[5] == "verify" then use_verify() end
end
